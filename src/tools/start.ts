import { shop } from '../shared/shop.ts'
import { runTool } from './command.ts'
import { build, ensureLocalSecrets, portFrom, prepareDatabase, requireFreePort, serve } from './local-shop.ts'

// `npm start`: the production build in workerd, on a local database that is kept between runs.
await runTool(async () => {
  const port = portFrom()
  await requireFreePort(port)
  ensureLocalSecrets()
  console.log('Building …')
  await build()
  console.log('Preparing the database …')
  await prepareDatabase()
  const server = await serve({ port })
  console.log(`${shop.name} is open at http://localhost:${port} (Ctrl+C closes it)`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill(signal))
  await new Promise((resolve) => server.once('exit', resolve))
})
