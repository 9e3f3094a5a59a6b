import { createServer } from 'node:net'

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
