import type { Config } from '#server/env.ts'
import { shop } from '#shared/shop.ts'
import { getSandboxVars, openLocalProviders } from '#tools/sandbox/local.ts'
import { build } from './build.ts'
import { runTool, waitUntilStopped } from './command.ts'
import {
  ensureLocalSecrets,
  prepareDatabase,
  requireCatalogue,
  requireSettings,
  STATE_FOLDER,
  serveShop,
} from './local-shop.ts'
import { findOfficePort, parsePort, requireFreePort } from './ports.ts'

/** Runs the scheduled work more often than the cron trigger in wrangler.toml does. */
const SCHEDULE_MS = 60_000

// `npm start` serves the production build in workerd, with a local database that persists.
if (import.meta.main) await runTool(start)

export async function requireStartable(port: number, script = 'npm start'): Promise<Config> {
  await requireFreePort(port, script)
  requireCatalogue()
  ensureLocalSecrets()
  return await requireSettings()
}

async function start(): Promise<void> {
  const port = await parsePort()
  const settings = await requireStartable(port)
  console.log('Building the shop and the office and preparing the local database…')
  await Promise.all([build(), prepareDatabase()])
  const providers = await openLocalProviders({ shopPort: port })
  const officePort = await findOfficePort(port)
  console.log('Starting…')
  const vars = getSandboxVars(settings, providers.vars)
  const server = await serveShop({ port, officePort, vars, pushUrl: providers.pushUrl })
  console.log(
    `${shop.name} is running at ${server.url}, the office at ${server.officeUrl}, its push alerts at ${providers.pushUrl} (press Ctrl+C to stop)`,
  )
  const schedule = setInterval(() => server.runSchedule().catch(console.error), SCHEDULE_MS)
  await waitUntilStopped()
  clearInterval(schedule)
  await Promise.all([server.close(), providers.close()])
  console.log(`${shop.name} has stopped. Its data stays in ${STATE_FOLDER}.`)
}
