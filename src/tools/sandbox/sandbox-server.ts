import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export type SandboxRequest = {
  method: string
  path: string
  authorization: string
  /** Another header's value; empty when it was not sent. */
  header: (name: string) => string
  /** As it was sent. */
  text: string
}

export type SandboxResponse = { status: number } & (
  | { json: unknown }
  | { html: string }
  | { location: string }
)

export type SandboxOptions = {
  /** 0, any free one, unless given. */
  port?: number
  /** Called with each line about what the sandbox does; without it, nothing is printed. */
  log?: (line: string) => void
}

/** How a provider can fail: connection refused, no response, connection reset, a gateway's 503. */
export type SandboxFailure = 'down' | 'silent' | 'broken' | 'unavailable'

/** A sandbox's HTTP server on loopback. `after` runs work later, unless the server is closed before. */
export type SandboxServer = {
  url: string
  /** Returns what cancels it. */
  after: (ms: number, work: () => Promise<void>) => () => void
  /** Fails from now on, to every request; works again without a failure. */
  fail: (how?: SandboxFailure) => Promise<void>
  /** Resolves once nothing that {@link after} was given is waiting or under way. */
  idle: () => Promise<void>
  close: () => Promise<void>
}

/** Listens on 127.0.0.1 and answers with what `handle` returns; 500 when it throws. */
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
    const answer = await respondTo(request, handle)
    const [type, body] =
      'json' in answer
        ? ['application/json', JSON.stringify(answer.json)]
        : ['text/html; charset=utf-8', 'html' in answer ? answer.html : '']
    response.writeHead(answer.status, {
      'Content-Type': type,
      ...('location' in answer && { Location: answer.location }),
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

async function respondTo(
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
    })
  } catch (error) {
    return { status: 500, json: { message: String(error) } }
  }
}

/** Posts JSON to the shop; false when it did not take it. */
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
