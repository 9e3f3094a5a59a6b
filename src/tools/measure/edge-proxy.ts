import { execFileSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import type { Socket } from 'node:net'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { proxy } from 'hono/proxy'
import { findFreePort } from '../ports.ts'

/** Approximately the brotli quality that edges use for dynamic responses. */
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
const COMPRESSED_TYPE_PATTERN = /^(text\/|application\/(json|manifest|javascript)|image\/svg)/

export type EdgeProxy = Awaited<ReturnType<typeof startEdgeProxy>>

/** Starts a proxy that adds what an edge adds to the shop: TLS, HTTP/2 and brotli. */
export async function startEdgeProxy(origin: string) {
  const certificate = createCertificate()
  const app = new Hono().all('*', async (c) => {
    const { pathname, search } = new URL(c.req.url)
    const response = await proxy(origin + pathname + search, { raw: c.req.raw, redirect: 'manual' })
    const body = Buffer.from(await response.arrayBuffer())
    if (body.length === 0 || !COMPRESSED_TYPE_PATTERN.test(response.headers.get('Content-Type') ?? ''))
      return new Response(body.length > 0 ? body : null, response)
    const compressed = new Response(await promisify(brotliCompress)(body, BROTLI_OPTIONS), response)
    compressed.headers.set('Content-Encoding', 'br')
    return compressed
  })
  const tls = { createServer: createSecureServer, serverOptions: { key: certificate, cert: certificate } }
  const settings = { fetch: app.fetch, overrideGlobalObjects: false, ...tls }
  const server = createAdaptorServer(settings) as Http2SecureServer
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => sockets.push(socket))
  const port = await findFreePort()
  await once(server.listen(port, 'localhost'), 'listening')
  const publicKey = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' })
  return {
    url: `https://localhost:${port}`,
    /** This argument makes Chromium trust the certificate. Otherwise, it would cache nothing. */
    chromiumArgument: `--ignore-certificate-errors-spki-list=${createHash('sha256').update(publicKey).digest('base64')}`,
    /** The bytes sent so far, including the overhead of TLS and HTTP/2. */
    sentBytes: () => sockets.reduce((total, { bytesWritten }) => total + bytesWritten, 0),
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function createCertificate(): Buffer {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const options = ['req', '-x509', ...curve, ...name, '-keyout', '-', '-out', '-']
  return execFileSync('openssl', options, { stdio: ['ignore', 'pipe', 'ignore'] })
}
