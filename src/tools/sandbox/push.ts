import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { importJWK, jwtVerify } from 'jose'
import { openSandboxServer, type SandboxOptions } from './sandbox-server.ts'

type Device = { ecdh: ReturnType<typeof createECDH>; auth: Buffer }
type ReceivedPush = { device: string; title: string; url: string; tag: string }

/** Starts a sandbox of a push service that lists decrypted messages at `/`. `POST /devices` registers a browser. */
export async function openPushSandbox({ port = 0, log = () => {} }: SandboxOptions) {
  const devices = new Map<string, Device>()
  const received: ReceivedPush[] = []

  const app = new Hono()
    .use(cors())
    .get('/', (c) => c.json(received))
    .post('/devices', (c) => c.json(register(), 201))
    .post('/push/:id', async (c) => {
      const id = c.req.param('id')
      const device = devices.get(id)
      if (!device) return c.body(null, 410)
      if (!(await isAuthorized(c.req.header('Authorization') ?? '', server.url))) return c.body(null, 403)
      const body = Buffer.from(await c.req.arrayBuffer())
      const message = { device: id, ...JSON.parse(decrypt(body, device)) } as ReceivedPush
      received.push(message)
      log(`Push alert: ${message.title} (${message.url})`)
      return c.body(null, 201)
    })
  const server = await openSandboxServer(app, { port })

  function register() {
    const ecdh = createECDH('prime256v1')
    const p256dh = ecdh.generateKeys('base64url')
    const [id, auth] = [randomBytes(9).toString('base64url'), randomBytes(16)]
    devices.set(id, { ecdh, auth })
    return { endpoint: `${server.url}/push/${id}`, keys: { p256dh, auth: auth.toString('base64url') } }
  }

  return { ...server, received, register, forgetDevices: () => devices.clear() }
}

/** Decrypts a message according to RFC 8291, with one record (RFC 8188). */
function decrypt(body: Buffer, { ecdh, auth }: Device): string {
  const keyLength = body.readUInt8(20)
  const salt = body.subarray(0, 16)
  const senderKey = body.subarray(21, 21 + keyLength)
  const record = body.subarray(21 + keyLength)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), senderKey])
  const secret = hkdfSync('sha256', ecdh.computeSecret(senderKey), auth, info, 32)
  const derive = (name: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', Buffer.from(secret), salt, `Content-Encoding: ${name}\0`, bytes))
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  decipher.setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  return padded.subarray(0, padded.lastIndexOf(2)).toString()
}

/** Returns whether the token is for this service and signed with the key in the header (RFC 8292). */
async function isAuthorized(authorization: string, url: string): Promise<boolean> {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? []
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  try {
    const publicKey = await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256')
    await jwtVerify(token, publicKey, { audience: `https://${new URL(url).host}` })
    return true
  } catch {
    return false
  }
}
