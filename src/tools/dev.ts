import { createServer as createHttpServer } from 'node:http'
import path from 'node:path'
import { createLogger, createServer, type Plugin } from 'vite'
import { getSandboxVars, openLocalProviders } from '#tools/sandbox/local.ts'
import { shop } from '../shared/shop.ts'
import { runTool, waitUntilStopped } from './command.ts'
import { prepareDatabase } from './local-shop.ts'
import { findOfficePort, parsePort } from './ports.ts'
import { formatLog } from './print-log.ts'
import { requireStartable } from './start.ts'

const CLOSE_DEADLINE_MS = 3000

// `npm run dev` serves the shop and the office from source, with the local database.
await runTool(async () => {
  const port = await parsePort()
  const settings = await requireStartable(port, 'npm run dev')
  await prepareDatabase()
  const providers = await openLocalProviders({ shopPort: port })
  const url = `http://localhost:${port}`
  const officePort = await findOfficePort(port)
  process.env.DEV_CONFIG = JSON.stringify({
    shop: {
      main: path.resolve('src/tools/dev-worker.ts'),
      services: [{ binding: 'OFFICE', service: 'pamba-office-local' }],
      vars: {
        LOCAL_ORIGIN: url,
        OFFICE_ORIGIN: `http://localhost:${officePort}`,
        OFFICE_PORT: String(officePort),
        ...getSandboxVars(settings, providers.vars),
      },
    },
    office: { vars: { SITE_ORIGIN: url, PUSH_SANDBOX: providers.pushUrl } },
  })
  const logger = createLogger()
  const server = await createServer({
    server: { port, strictPort: true },
    clearScreen: false,
    plugins: [preventSourceRestarts()],
    customLogger: {
      ...logger,
      info: (message, options) => logger.info(formatLog(message), options),
      error: (message, options) => logger.error(formatLog(message), options),
    },
  })
  // The server restarts when the catalogue's file changes, because the Worker caches it.
  server.watcher.on('change', (file) => {
    if (path.basename(file) === 'Items.json') server.restart()
  })
  await server.listen()
  // Vite replaces `server.middlewares` when it restarts, so each request reads it again.
  const office = createHttpServer((request, response) => server.middlewares(request, response))
  office.listen(officePort, 'localhost')
  console.log(
    `${shop.name} is running at ${url}, the office at http://localhost:${officePort} (press Ctrl+C to stop). Both reload on changes.`,
  )
  await waitUntilStopped()
  office.close()
  await providers.close()
  // After a restart, close() doesn't always resolve, so the process exits anyway.
  setTimeout(() => process.exit(), CLOSE_DEADLINE_MS)
  await server.close()
  process.exit()
})

/** Prevents a restart whenever a shop module that vite.config.ts imports changes. */
function preventSourceRestarts(): Plugin {
  const sources = path.resolve('src')
  const tools = path.resolve('src/tools')
  return {
    name: 'pamba:no-restart-for-sources',
    configResolved({ configFileDependencies: files }) {
      const watched = files.filter((file) => !file.startsWith(sources) || file.startsWith(tools))
      files.splice(0, files.length, ...watched)
    },
  }
}
