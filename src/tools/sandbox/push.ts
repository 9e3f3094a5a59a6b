import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { escapeHtml } from '#server/platform/escape-html.ts'
import { openSandboxServer, type SandboxOptions } from './sandbox-server.ts'

type Device = { ecdh: ReturnType<typeof createECDH>; auth: Buffer }
type Received = { device: string; title: string; url: string; tag: string }

/** A push service and its browsers: decrypts what arrives and lists it at `/`. `POST /devices` registers a browser. */
export async function openPushSandbox({ port = 0, log = () => {} }: SandboxOptions) {
  const devices = new Map<string, Device>()
  const received: Received[] = []

  const app = new Hono()
    .use(cors())
    .get('/', (c) => c.html(page(received)))
    .post('/devices', (c) => c.json(register(), 201))
    .post('/push/:id', async (c) => {
      const id = c.req.param('id')
      const device = devices.get(id)
      if (!device) return c.body(null, 410)
      if (!isAuthorized(c.req.header('Authorization') ?? '', server.url)) return c.body(null, 403)
      const body = Buffer.from(await c.req.arrayBuffer())
      const message = { device: id, ...JSON.parse(decrypt(body, device)) } as Received
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

  return {
    ...server,
    received,
    register,
    forgetDevices: () => devices.clear(),
  }
}

/** RFC 8291 with one record (RFC 8188). */
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

/** RFC 8292: a token for this service, signed with the key in the header. */
function isAuthorized(authorization: string, url: string): boolean {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? []
  const [header = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  if (point.length !== 65) return false
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const { aud } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { aud: string }
  const signed = Buffer.from(`${header}.${claims}`)
  return (
    new URL(aud).host === new URL(url).host &&
    verify(
      'sha256',
      signed,
      { key: publicKey, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    )
  )
}

function page(received: readonly Received[]): string {
  const rows = received
    .toReversed()
    .map(({ title, url }) => `<li>${escapeHtml(title)} <code>${escapeHtml(url)}</code></li>`)
  return `<!doctype html><meta charset="utf-8"><title>Push sandbox</title><h1>Alerts received</h1><ol>${rows.join('')}</ol>`
}
