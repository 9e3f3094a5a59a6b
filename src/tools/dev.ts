import { command, runTool } from './command.ts'
import { ensureLocalSecrets, portFrom, prepareDatabase, requireFreePort } from './local-shop.ts'

// `npm run dev`: the same shop from its sources, reloading as they change.
await runTool(async () => {
  await requireFreePort(portFrom())
  ensureLocalSecrets()
  await prepareDatabase()
  await command('vite', ['dev'], 'The development server stopped.', { output: 'show' })
})
