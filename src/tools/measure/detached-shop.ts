import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type ServeOptions, serve } from '../local-shop.ts'
import { wrangler } from '../wrangler.ts'

/** A shop in its own process group, which can be killed. */
export type DetachedShop = {
  url: string
  /** Ends all of it at once, as a power cut does. Resolves when it is gone. */
  kill: () => Promise<void>
}

/** A shop whose tools are loaded, so that it opens at once when it is wanted. */
type PreparedShop = {
  /** Resolves once it answers. Rejects when it ends before that. */
  open: () => Promise<DetachedShop>
  kill: () => Promise<void>
}

type DetachedOptions = Pick<ServeOptions, 'port' | 'vars'> & { stateFolder: string }

/** Loads what serves the build in processes of its own. */
export function prepareDetachedShop(options: DetachedOptions): PreparedShop {
  const child = fork(import.meta.filename, { detached: true, silent: true })
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
  const open = () =>
    new Promise<DetachedShop>((resolve, reject) => {
      child.once('message', () => resolve({ url: `http://localhost:${options.port}`, kill }))
      child.once('error', reject)
      child.once('exit', (code) => reject(new Error(`The shop ended with ${code} before it was open.`)))
      child.send(options)
    })
  return { open, kill }
}

if (process.argv[1] === import.meta.filename && process.send) {
  const opening = once(process, 'message')
  // Whoever started it is gone.
  process.once('disconnect', () => process.exit())
  await wrangler()
  const [options] = (await opening) as [DetachedOptions]
  const shop = await serve({ ...options, onLog: () => {} })
  process.removeAllListeners('disconnect')
  process.once('disconnect', () => void shop.close().finally(() => process.exit()))
  process.send('open')
}
