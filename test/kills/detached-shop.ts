import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type ServeOptions, serveShop } from '#tools/local-shop.ts'

type DetachedOptions = Pick<ServeOptions, 'port' | 'officePort' | 'vars'> & { stateFolder: string }

export type DetachedShop = {
  url: string
  kill: () => Promise<void>
}

/** The shop gets its own process group, so that a kill reaches all its processes. */
export async function openDetachedShop(options: DetachedOptions): Promise<DetachedShop> {
  const child = fork(import.meta.filename, { detached: true, silent: true })
  const exited = once(child, 'exit')
  child.send(options)
  const failed = exited.then(([code]) => {
    throw new Error(`The shop exited with ${code} before it was ready.`)
  })
  await Promise.race([once(child, 'message'), failed])
  failed.catch(() => {})
  return {
    url: `http://localhost:${options.port}`,
    async kill() {
      if (child.pid && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, 'SIGKILL')
      await exited
    },
  }
}

if (process.argv[1] === import.meta.filename && process.send) {
  const [options] = (await once(process, 'message')) as [DetachedOptions]
  process.once('disconnect', () => process.exit())
  const server = await serveShop({ ...options, onLog: () => {} })
  process.removeAllListeners('disconnect')
  process.once('disconnect', () => void server.close().finally(() => process.exit()))
  process.send('ready')
}
