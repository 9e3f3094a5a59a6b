import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { newIpAddress } from './shopper.ts'

export type TestProxy = {
  url: string
  isDisconnected: boolean
  dropsDocuments: boolean
  delayMs: number
  /** The build that the proxy serves. Build 2 is build 1 with renamed scripts and styles. */
  build: 1 | 2
  /** Simulates SERVICE_WORKER=off. */
  isServiceWorkerOff: boolean
  close: () => Promise<void>
}

const HASHED_FILE_PATTERN = /(-[\w-]{6,8})\.(js|css)\b/g
const REWRITTEN_TYPE_PATTERN = /^text\/(html|javascript|css)/

export async function openProxy(shopUrl: string): Promise<TestProxy> {
  const addressHeader = { 'cf-connecting-ip': newIpAddress() }
  const server = createServer((request, response) => {
    setTimeout(() => {
      const isPage = request.headers['sec-fetch-mode'] === 'navigate'
      if (proxy.isDisconnected || (proxy.dropsDocuments && isPage)) request.socket.destroy()
      else forwardRequest(request, response)
    }, proxy.delayMs)
  })

  function forwardRequest(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/'
    const isAsset = path.startsWith('/assets/')
    const isOfBuild2 = /\.2\.\w+$/.test(path)
    if (isAsset && /\.(js|css)$/.test(path) && isOfBuild2 !== (proxy.build === 2)) {
      response.writeHead(404).end()
      return
    }
    // These headers are removed, because the body is rewritten below.
    const { 'if-none-match': _, 'accept-encoding': _encoding, ...requestHeaders } = request.headers
    const headers = { ...addressHeader, ...requestHeaders }
    const target = new URL(isAsset ? path.replace(/\.2(?=\.\w+$)/, '') : path, shopUrl)
    // `agent: false` avoids pooled connections: workerd may close an idle one at the moment it is reused.
    const upstreamRequest = forward(
      target,
      { agent: false, method: request.method, headers },
      async (upstream) => {
        const { etag: _tag, 'content-length': _length, ...rest } = upstream.headers
        if (!REWRITTEN_TYPE_PATTERN.test(rest['content-type'] ?? '')) {
          response.writeHead(upstream.statusCode ?? 502, upstream.headers)
          upstream.pipe(response)
          return
        }
        let body = await text(upstream)
        if (proxy.build === 2)
          body = body.replace(HASHED_FILE_PATTERN, '$1.2.$2').replace(/"id":"/, '"id":"2')
        if (proxy.isServiceWorkerOff)
          body =
            path === '/sw.js'
              ? body.replace(/^const build=.*$/m, 'const build=null;')
              : body.replace('id="boot">{', '$&"hasServiceWorker":false,')
        response.writeHead(upstream.statusCode ?? 502, rest).end(body)
      },
    )
    upstreamRequest.on('error', () => request.socket.destroy())
    request.pipe(upstreamRequest)
  }

  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const proxy: TestProxy = {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    isDisconnected: false,
    dropsDocuments: false,
    delayMs: 0,
    build: 1,
    isServiceWorkerOff: false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return proxy
}
