import { once } from 'node:events'
import { createServer } from 'node:net'
import { ToolError } from './command.ts'

export const DEFAULT_PORT = 5000

const MAX_PORT = 65_535

/** These ports are below the ephemeral range, and browsers don't block them. */
const PORT_RANGE = { first: 20_000, count: 12_000 }

let nextOffset = Math.floor(Math.random() * PORT_RANGE.count)

export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = PORT_RANGE.first + (nextOffset++ % PORT_RANGE.count)
    if (!(await getListenErrorCode(port))) return port
  }
}

export async function parsePort(text = process.env.PORT): Promise<number> {
  if (!text) return DEFAULT_PORT
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > MAX_PORT)
    throw new ToolError(`PORT must be a number from 1 to ${MAX_PORT}; it is "${text}".`)
  if (await isBlocked(port))
    throw new ToolError(`Browsers block port ${port}. Choose another: PORT=${DEFAULT_PORT} npm start`)
  return port
}

/** Returns whether `fetch` refuses the port (https://fetch.spec.whatwg.org/#port-blocking). */
async function isBlocked(port: number): Promise<boolean> {
  const error = await fetch(`http://localhost:${port}`, { method: 'HEAD' }).catch((reason: Error) => reason)
  return error instanceof Error && String(error.cause).includes('bad port')
}

export async function findOfficePort(port: number): Promise<number> {
  const isUsable = port < MAX_PORT && !(await getListenErrorCode(port + 1)) && !(await isBlocked(port + 1))
  return isUsable ? port + 1 : findFreePort()
}

export async function requireFreePort(port: number, script: string): Promise<void> {
  const codes = [await getListenErrorCode(port, '127.0.0.1'), await getListenErrorCode(port, '::1')]
  const advice = `PORT=${port === DEFAULT_PORT ? DEFAULT_PORT + 1 : DEFAULT_PORT} ${script}`
  if (codes.includes('EADDRINUSE'))
    throw new ToolError(`Port ${port} is in use. Stop the program using it, or choose another: ${advice}`)
  if (codes.includes('EACCES'))
    throw new ToolError(`You don't have permission to use port ${port}. Choose another: ${advice}`)
}

/** Also returns an error code if the machine lacks the host. */
async function getListenErrorCode(port: number, host?: string): Promise<string | undefined> {
  const probe = createServer()
  try {
    await once(probe.listen({ port, ...(host ? { host } : {}) }), 'listening')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
  await once(probe.close(), 'close')
}
