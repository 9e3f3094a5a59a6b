import path from 'node:path'
import { createLogger, createServer } from 'vite'
import { shop } from '../shared/shop.ts'
import { requireCatalogue } from './build.ts'
import { runTool, stopped } from './command.ts'
import { ensureLocalSecrets, prepareDatabase } from './local-shop.ts'
import { portFrom, requireFreePort } from './ports.ts'
import { readableLog } from './print-log.ts'
import { requireConfig } from './wrangler.ts'

// `npm run dev`: the same shop from its sources, on the same database, reloading as they change.
await runTool(async () => {
  const port = portFrom()
  await requireFreePort(port, 'npm run dev')
  requireCatalogue()
  await requireConfig()
  ensureLocalSecrets()
  await prepareDatabase()
  const logger = createLogger()
  const server = await createServer({
    server: { port, strictPort: true },
    clearScreen: false,
    customLogger: { ...logger, info: (message, options) => logger.info(readableLog(message), options) },
  })
  // The Worker keeps the catalogue in memory; edited, it is read again by a new one.
  server.watcher.on('change', (file) => {
    if (path.basename(file) === 'Items.json') server.restart()
  })
  await server.listen()
  console.log(`${shop.name} is open at http://localhost:${port}, and reloads as you edit (Ctrl+C closes it)`)
  await stopped()
  await server.close()
})
