import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export type StandInRequest = {
  method: string
  path: string
  authorization: string
  /** Another header's value; empty when it was not sent. */
  header: (name: string) => string
  /** As it was sent. */
  text: string
}

export type StandInAnswer = { status: number } & ({ json: unknown } | { html: string } | { location: string })

export type StandInOptions = {
  /** 0, any free one, unless given. */
  port?: number
  /** Gets what the stand-in does, a line each; nothing is printed unless given. */
  log?: (line: string) => void
}

/** A stand-in's HTTP server on loopback. `after` runs work later, unless the server is closed before. */
export type StandInServer = {
  url: string
  after: (ms: number, work: () => Promise<void>) => void
  /** Resolves once nothing that {@link after} was given is waiting or under way. */
  idle: () => Promise<void>
  close: () => Promise<void>
}

/** Listens on 127.0.0.1 and answers with what `handle` returns; 500 when it throws. */
export async function openStandIn(
  handle: (request: StandInRequest) => StandInAnswer | Promise<StandInAnswer>,
  { port = 0 }: StandInOptions,
): Promise<StandInServer> {
  const timers = new Set<NodeJS.Timeout>()
  const work = new Set<Promise<void>>()

  const server = createServer(async (request, response) => {
    const answer = await answerTo(request, handle)
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
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    after(ms, task) {
      const run = () => {
        timers.delete(timer)
        const running = task().finally(() => work.delete(running))
        work.add(running)
      }
      const timer = setTimeout(run, ms)
      timers.add(timer)
    },
    async idle() {
      while (timers.size + work.size > 0) {
        await Promise.all(work)
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    async close() {
      for (const timer of timers) clearTimeout(timer)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answerTo(
  request: IncomingMessage,
  handle: (request: StandInRequest) => StandInAnswer | Promise<StandInAnswer>,
): Promise<StandInAnswer> {
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
