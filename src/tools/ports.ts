import { createServer } from 'node:net'
import { ToolError } from './command.ts'

/** Where the shop is opened unless told otherwise. */
export const DEFAULT_PORT = 5000

const MAX_PORT = 65_535

/** Below the ports that systems give to connections by themselves, and free of those that browsers refuse. */
const PORTS = { first: 20_000, count: 12_000 }

let next = Math.floor(Math.random() * PORTS.count)

/** A port that nothing listens on, and that no connection takes before somebody listens; another at each call. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + (next++ % PORTS.count)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, () => probe.close(() => resolve(true)))
  })
}

/** The port from `PORT`, 5000 unless set. Throws {@link ToolError} for anything that is not a port. */
export function portFrom(text = process.env.PORT): number {
  if (!text) return DEFAULT_PORT
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port > 0 && port <= MAX_PORT) return port
  throw new ToolError(`PORT must be a number from 1 to 65535; it is "${text}".`)
}

/** Where the office is opened beside a shop on `port`: on the next one, or where that is taken, on any that is free. */
export async function officePortBeside(port: number): Promise<number> {
  return port < MAX_PORT && (await isFree(port + 1)) ? port + 1 : freePort()
}

/** Throws {@link ToolError} when another program listens on the port already, or this user may not. */
export async function requireFreePort(port: number, script = 'npm start'): Promise<void> {
  const codes = [await listenErrorCode(port, '127.0.0.1'), await listenErrorCode(port, '::1')]
  const advice = `PORT=${port === DEFAULT_PORT ? DEFAULT_PORT + 1 : DEFAULT_PORT} ${script}`
  if (codes.includes('EADDRINUSE'))
    throw new ToolError(`Port ${port} is in use. Stop the program using it, or choose another: ${advice}`)
  if (codes.includes('EACCES'))
    throw new ToolError(`You don't have permission to use port ${port}. Choose another: ${advice}`)
}

/** Why a port cannot be listened on; undefined where it can. Other codes do not count: not every machine has an `::1`. */
function listenErrorCode(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
    probe.listen({ port, host }, () => probe.close(() => resolve(undefined)))
  })
}
