import { createServer as createHttpServer } from 'node:http'
import path from 'node:path'
import { createLogger, createServer, type Plugin } from 'vite'
import { openLocalProviders, sandboxVars } from '#tools/sandbox/local.ts'
import { shop } from '../shared/shop.ts'
import { requireCatalogue } from './build.ts'
import { runTool, untilStopped } from './command.ts'
import { ensureLocalSecrets, prepareDatabase, requireSettings } from './local-shop.ts'
import { officePortBeside, portFrom, requireFreePort } from './ports.ts'
import { readableLog } from './print-log.ts'
import { devErrors } from './vite/dev-errors.ts'

const CLOSE_DEADLINE_MS = 3000

// `npm run dev`: the same shop and office from their sources, on the same database, reloading as they change.
await runTool(async () => {
  const port = portFrom()
  await requireFreePort(port, 'npm run dev')
  requireCatalogue()
  ensureLocalSecrets()
  const settings = await requireSettings()
  await prepareDatabase()
  const providers = await openLocalProviders({ shopPort: port })
  const url = `http://localhost:${port}`
  const officePort = await officePortBeside(port)
  process.env.DEV_CONFIG = JSON.stringify({
    shop: {
      main: path.resolve('src/tools/dev-worker.ts'),
      services: [{ binding: 'OFFICE', service: 'pamba-office-local' }],
      vars: {
        LOCAL_ORIGIN: url,
        OFFICE_PORT: String(officePort),
        ...sandboxVars(settings, providers.vars),
      },
    },
    office: { vars: { SITE_ORIGIN: url } },
  })
  const logger = createLogger()
  const errors = devErrors()
  const server = await createServer({
    server: { port, strictPort: true },
    clearScreen: false,
    plugins: [errors.plugin, noRestartForSources()],
    customLogger: {
      ...logger,
      info: (message, options) => logger.info(readableLog(message), options),
      error(message, options) {
        errors.note(message)
        logger.error(readableLog(message), options)
      },
    },
  })
  // The Worker caches the catalogue: an edit restarts it.
  server.watcher.on('change', (file) => {
    if (path.basename(file) === 'Items.json') server.restart()
  })
  await server.listen()
  // The server is another one after a restart.
  const office = createHttpServer((request, response) => server.middlewares(request, response))
  office.listen(officePort, 'localhost')
  console.log(
    `${shop.name} is open at ${url}, its office at http://localhost:${officePort}; both reload as you edit (Ctrl+C closes them)`,
  )
  await untilStopped()
  office.close()
  await providers.close()
  // A server that was restarted does not always end by itself.
  setTimeout(() => process.exit(), CLOSE_DEADLINE_MS)
  await server.close()
  process.exit()
})

/** The plugins of vite.config.ts read some of the shop's own modules; Vite would restart whenever one is saved. */
function noRestartForSources(): Plugin {
  const sources = path.resolve('src')
  const tools = path.resolve('src/tools')
  return {
    name: 'pamba:no-restart-for-sources',
    configResolved({ configFileDependencies: files }) {
      const changed = files.filter((file) => !file.startsWith(sources) || file.startsWith(tools))
      files.splice(0, files.length, ...changed)
    },
  }
}
