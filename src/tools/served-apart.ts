import { fork } from 'node:child_process'
import { serve } from './local-shop.ts'

/** A shop in processes of its own: a program's crash, a person's `kill -9`, or a measurement concerns it alone. */
export type ShopApart = {
  url: string
  /** The group of its processes: Node's, and workerd's below it. */
  processGroup: number
  /** Ends all of it at once, as a power cut does. Resolves when it is gone. */
  kill: () => Promise<void>
}

type ApartOptions = { port: number; stateFolder: string }

/** Serves the build in processes of its own; resolves once it answers. Rejects when it ends before that. */
export function serveApart({ port, stateFolder }: ApartOptions): Promise<ShopApart> {
  const child = fork(import.meta.filename, [String(port), stateFolder], { detached: true, silent: true })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const processGroup = child.pid ?? 0
  const kill = async () => {
    try {
      if (processGroup) process.kill(-processGroup, 'SIGKILL')
    } catch {
      // It is gone already.
    }
    await gone
  }
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve({ url: `http://localhost:${port}`, processGroup, kill }))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`The shop ended with ${code} before it was open.`)))
  })
}

if (process.argv[1] === import.meta.filename && process.send) {
  const [port, stateFolder = ''] = process.argv.slice(2)
  const shop = await serve({ port: Number(port), stateFolder, onLog: () => {} })
  // Whoever started it is gone.
  process.once('disconnect', () => void shop.close().finally(() => process.exit()))
  process.send('open')
}
