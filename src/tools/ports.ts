import { createServer } from 'node:net'
import { ToolError } from './command.ts'

export const DEFAULT_PORT = 5000

const MAX_PORT = 65_535

/** Below the ephemeral ports, and without any that browsers block. */
const PORTS = { first: 20_000, count: 12_000 }

/** Browsers and `fetch` refuse to open them (https://fetch.spec.whatwg.org/#port-blocking). */
const BLOCKED_PORTS = new Set([
  ...[
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  ],
  ...[
    109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  ],
  ...[526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049],
  ...[3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080],
])

let next = Math.floor(Math.random() * PORTS.count)

/** Returns a different free port at each call. */
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

export function parsePort(text = process.env.PORT): number {
  if (!text) return DEFAULT_PORT
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (BLOCKED_PORTS.has(port))
    throw new ToolError(`Browsers block port ${port}. Choose another: PORT=${DEFAULT_PORT} npm start`)
  if (port > 0 && port <= MAX_PORT) return port
  throw new ToolError(`PORT must be a number from 1 to 65535; it is "${text}".`)
}

/** The port after the shop's, or any free one if that is in use. */
export async function findOfficePort(port: number): Promise<number> {
  const isUsable = port < MAX_PORT && !BLOCKED_PORTS.has(port + 1) && (await isFree(port + 1))
  return isUsable ? port + 1 : freePort()
}

export async function requireFreePort(port: number, script = 'npm start'): Promise<void> {
  const codes = [await listenErrorCode(port, '127.0.0.1'), await listenErrorCode(port, '::1')]
  const advice = `PORT=${port === DEFAULT_PORT ? DEFAULT_PORT + 1 : DEFAULT_PORT} ${script}`
  if (codes.includes('EADDRINUSE'))
    throw new ToolError(`Port ${port} is in use. Stop the program using it, or choose another: ${advice}`)
  if (codes.includes('EACCES'))
    throw new ToolError(`You don't have permission to use port ${port}. Choose another: ${advice}`)
}

/** The error code of listening on a port. Callers ignore others than theirs: not every machine has `::1`. */
function listenErrorCode(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
    probe.listen({ port, host }, () => probe.close(() => resolve(undefined)))
  })
}
