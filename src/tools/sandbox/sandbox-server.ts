import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'

export type SandboxOptions = {
  port?: number
  log?: (line: string) => void
}

/** How requests fail: connection refused, no response, connection reset, or a gateway's 503. */
export type SandboxFailure = 'down' | 'silent' | 'broken' | 'unavailable'

/** `count` starts at the current time, because the local database may contain receipts of earlier runs. */
export function createReceiptCode(count: number, characters: number): string {
  return count.toString(36).toUpperCase().slice(-characters)
}

export async function openSandboxServer(app: Hono, { port = 0 }: SandboxOptions = {}) {
  const pending = new Set<Promise<unknown>>()
  const closed = new AbortController()
  let failure: SandboxFailure | undefined

  app.onError((error, c) => c.json({ message: String(error) }, 500))
  function respond(request: Request, { incoming }: HttpBindings): Response | Promise<Response> {
    if (failure === 'unavailable') return new Response('<h1>Service Unavailable</h1>', { status: 503 })
    if (failure === undefined) return app.fetch(request)
    if (failure === 'broken') incoming.socket.destroy()
    return new Promise(() => {})
  }
  const server = createAdaptorServer({
    fetch: (request, env) => respond(request, env as HttpBindings),
    overrideGlobalObjects: false,
  }) as Server
  const listen = (on: number) => once(server.listen(on, '127.0.0.1'), 'listening')
  async function stopListening() {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  await listen(port)
  const address = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${address.port}`,
    /** Makes every request fail. Without `how`, requests succeed again. */
    async fail(how?: SandboxFailure) {
      if (failure === 'down' && how !== 'down') await listen(address.port)
      if (failure !== 'down' && how === 'down') await stopListening()
      failure = how
    },
    /** Runs the task later, unless the server is closed first. Returns a function that runs it now. */
    after(ms: number, task: () => Promise<unknown>) {
      const skipped = new AbortController()
      const signal = AbortSignal.any([closed.signal, skipped.signal])
      const finished: Promise<unknown> = setTimeout(ms, undefined, { signal })
        .catch(() => {})
        .then(() => closed.signal.aborted || task())
        .finally(() => pending.delete(finished))
      pending.add(finished)
      return () => {
        skipped.abort()
        return finished
      }
    },
    /** Resolves when no task of `after` is waiting or running. */
    async idle() {
      while (pending.size > 0) await Promise.all(pending)
    },
    async close() {
      closed.abort()
      if (failure !== 'down') await stopListening()
    },
  }
}

export async function postToShop(url: string, body: object, headers: object = {}): Promise<boolean> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }).catch(() => undefined)
  await response?.body?.cancel()
  return response?.ok ?? false
}
