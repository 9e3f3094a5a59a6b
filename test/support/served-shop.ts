import { appendFileSync, writeFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { CHROMIUM_ADVICE } from '#tools/chromium.ts'
import { prepareDatabase, serveShop } from '#tools/local-shop.ts'
import { findFreePort } from '#tools/ports.ts'
import { openLocalProviders } from '#tools/sandbox/local.ts'
import { findJourneyBrowser, type JourneyBrowser } from './journey-browser.ts'
import { SHOP_LOG } from './shop-log.ts'

declare module 'vitest' {
  interface ProvidedContext {
    shopUrl: string | undefined
    officeUrl: string | undefined
    pushUrl: string | undefined
    journeyBrowser: JourneyBrowser
    stateFolder: string
    /** The folder of a newly created database, which tests copy. */
    newDatabase: string
  }
}

const PHONE_ANSWER_MS = 500

export async function setup(project: TestProject) {
  const browser = findJourneyBrowser()
  if (!browser) {
    if (process.env.CI === 'true') throw new Error(`Chromium isn’t installed. ${CHROMIUM_ADVICE}`)
    project.provide('shopUrl', undefined)
    project.provide('officeUrl', undefined)
    project.provide('pushUrl', undefined)
    return
  }
  const stateFolder = await mkdtemp(path.join(tmpdir(), 'pamba-'))
  const newDatabase = `${stateFolder}-new`
  await prepareDatabase(newDatabase)
  await cp(newDatabase, stateFolder, { recursive: true })
  const [port, officePort] = [await findFreePort(), await findFreePort()]
  const logFile = path.join(stateFolder, SHOP_LOG)
  writeFileSync(logFile, '')
  const onLog = ({ message }: { message: string }) => appendFileSync(logFile, `${message}\n`)
  const providers = await openLocalProviders({
    shopPort: port,
    delays: { answerMs: PHONE_ANSWER_MS },
    log: () => {},
  })
  const server = await serveShop({
    port,
    officePort,
    pushUrl: providers.pushUrl,
    stateFolder,
    vars: providers.vars,
    onLog,
  }).catch(async (error) => {
    await providers.close()
    throw error
  })
  project.provide('shopUrl', server.url)
  project.provide('officeUrl', server.officeUrl)
  project.provide('pushUrl', providers.pushUrl)
  project.provide('journeyBrowser', browser)
  project.provide('stateFolder', stateFolder)
  project.provide('newDatabase', newDatabase)
  return async () => {
    await Promise.all([server.close(), providers.close()])
    for (const folder of [stateFolder, newDatabase]) await rm(folder, { recursive: true, force: true })
  }
}
