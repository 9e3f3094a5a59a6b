import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { prepareDatabase, serve } from '../../src/tools/local-shop.ts'
import { chromiumPath } from './chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the built shop answers; undefined when there is no browser to visit it. */
    shopUrl: string | undefined
    /** The database's folder on disk. */
    stateFolder: string
  }
}

/** Serves the production build on a database of its own for all browser tests. */
export async function setup(project: TestProject) {
  const executable = chromiumPath()
  if (!executable) {
    const advice = 'No Chromium was found for the browser tests. Get one with: apt-get install chromium'
    if (process.env.CI === 'true') throw new Error(advice)
    console.warn(`${advice} (they are skipped)`)
    project.provide('shopUrl', undefined)
    return
  }
  const stateFolder = await mkdtemp(path.join(tmpdir(), 'pamba-'))
  await prepareDatabase(stateFolder)
  const port = await freePort()
  const server = await serve({ port, stateFolder, onLog: () => {} })
  project.provide('shopUrl', server.url)
  project.provide('stateFolder', stateFolder)
  return async () => {
    await server.close()
    await rm(stateFolder, { recursive: true, force: true })
  }
}

/** A port that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.listen(0, () => {
      const address = probe.address()
      probe.close(() => resolve(address && typeof address === 'object' ? address.port : 0))
    })
  })
}
