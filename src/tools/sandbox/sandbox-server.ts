import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export type SandboxRequest = {
  method: string
  path: string
  authorization: string
  header: (name: string) => string
  text: string
  bytes: Buffer
}

export type SandboxResponse = { status: number } & (
  | { json: unknown }
  | { html: string }
  | { location: string }
)

export type SandboxOptions = {
  /** Default 0: any free port. */
  port?: number
  /** Receives the sandbox's log lines; nothing is printed by default. */
  log?: (line: string) => void
}

/** Connection refused, no response, connection reset, a gateway's 503. */
export type SandboxFailure = 'down' | 'silent' | 'broken' | 'unavailable'

/** `after` runs work later, unless the server is closed first. */
export type SandboxServer = {
  url: string
  after: (ms: number, work: () => Promise<void>) => () => void
  /** Makes every request fail; without `how`, they work again. */
  fail: (how?: SandboxFailure) => Promise<void>
  /** Resolves when no work scheduled with {@link after} is pending or running. */
  idle: () => Promise<void>
  close: () => Promise<void>
}

/** Listens on 127.0.0.1; responds with 500 if `handle` throws. */
export async function openSandboxServer(
  handle: (request: SandboxRequest) => SandboxResponse | Promise<SandboxResponse>,
  { port = 0 }: SandboxOptions,
): Promise<SandboxServer> {
  const timers = new Set<NodeJS.Timeout>()
  const work = new Set<Promise<void>>()

  let failure: SandboxFailure | undefined
  const server = createServer(async (request, response) => {
    if (failure === 'silent') return
    if (failure === 'broken') return void request.socket.destroy()
    if (failure === 'unavailable') return void response.writeHead(503).end('<h1>Service Unavailable</h1>')
    const result = await runHandler(request, handle)
    const [type, body] =
      'json' in result
        ? ['application/json', JSON.stringify(result.json)]
        : ['text/html; charset=utf-8', 'html' in result ? result.html : '']
    response.writeHead(result.status, {
      'Content-Type': type,
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Headers': '*',
      ...('location' in result && { Location: result.location }),
    })
    response.end(body)
  })
  const listen = (on: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(on, '127.0.0.1', resolve)
    })
  const stopListening = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  await listen(port)
  const address = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${address.port}`,
    async fail(how) {
      if (failure === 'down' && how !== 'down') await listen(address.port)
      if (failure !== 'down' && how === 'down') await stopListening()
      failure = how
    },
    after(ms, task) {
      const run = () => {
        timers.delete(timer)
        const running = task().finally(() => work.delete(running))
        work.add(running)
      }
      const timer = setTimeout(run, ms)
      timers.add(timer)
      return () => {
        clearTimeout(timer)
        timers.delete(timer)
      }
    },
    async idle() {
      while (timers.size + work.size > 0) {
        await Promise.all(work)
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    async close() {
      for (const timer of timers) clearTimeout(timer)
      await stopListening()
    },
  }
}

async function runHandler(
  request: IncomingMessage,
  handle: (request: SandboxRequest) => SandboxResponse | Promise<SandboxResponse>,
): Promise<SandboxResponse> {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    return await handle({
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      authorization: request.headers.authorization ?? '',
      header: (name) => String(request.headers[name] ?? ''),
      text: Buffer.concat(chunks).toString(),
      bytes: Buffer.concat(chunks),
    })
  } catch (error) {
    return { status: 500, json: { message: String(error) } }
  }
}

export async function post(
  url: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<boolean> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  }).catch(() => undefined)
  await response?.body?.cancel()
  return response?.ok ?? false
}
