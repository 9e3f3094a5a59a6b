import { execFileSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createSecureServer, type Http2ServerRequest } from 'node:http2'
import type { Socket } from 'node:net'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { freePort } from '../ports.ts'

/** About what an edge uses for dynamic responses. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
const COMPRESSED = /^(text\/|application\/(json|manifest|javascript)|image\/svg)/
const NOT_FORWARDED = /^(:|accept-encoding$|host$)/
const NOT_IN_HTTP_2 = ['connection', 'keep-alive', 'transfer-encoding', 'content-length']

export type Front = {
  url: string
  /** Makes Chromium trust the certificate; otherwise it caches nothing. */
  chromiumArgument: string
  /** Bytes sent so far, TLS and HTTP/2 overhead included. */
  sentBytes: () => number
  close: () => void
}

/** Adds what an edge adds to a local shop: TLS, HTTP/2 and brotli. */
export async function startFront(origin: string, workFolder: string): Promise<Front> {
  const { key, cert } = certificate(workFolder)

  async function answer(request: Http2ServerRequest) {
    const { method, url } = request
    const response = await fetch(origin + url, {
      method,
      headers: Object.entries(request.headers)
        .filter(([name]) => !NOT_FORWARDED.test(name))
        .map(([name, value]): [string, string] => [name, String(value)]),
      redirect: 'manual',
      ...(method === 'POST' ? { body: await buffer(request) } : {}),
    })
    const headers = Object.fromEntries(
      [...response.headers].filter(([name]) => !NOT_IN_HTTP_2.includes(name)),
    )
    const body = Buffer.from(await response.bytes())
    if (body.length === 0 || !COMPRESSED.test(headers['content-type'] ?? ''))
      return { response, headers, body }
    const compressed = await promisify(brotliCompress)(body, BROTLI)
    return { response, headers: { ...headers, 'content-encoding': 'br' }, body: compressed }
  }

  const server = createSecureServer({ key, cert }, (request, reply) => {
    answer(request).then(
      ({ response, headers, body }) => reply.writeHead(response.status, headers).end(body),
      () => reply.stream.close(constants.Z_DATA_ERROR),
    )
  })
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => sockets.push(socket))
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, 'localhost', resolve))
  const publicKey = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' })
  return {
    url: `https://localhost:${port}`,
    chromiumArgument: `--ignore-certificate-errors-spki-list=${createHash('sha256').update(publicKey).digest('base64')}`,
    sentBytes: () => sockets.reduce((total, { bytesWritten }) => total + bytesWritten, 0),
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function certificate(workFolder: string): { key: Buffer; cert: Buffer } {
  const [key, cert] = [path.join(workFolder, 'front.key'), path.join(workFolder, 'front.pem')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  if (!existsSync(cert))
    execFileSync('openssl', ['req', '-x509', ...curve, ...name, '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    })
  return { key: readFileSync(key), cert: readFileSync(cert) }
}
