import { renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { bundleScript, isOutdated } from './build.ts'
import { runTool } from './command.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const COMMANDS_FILE = path.join(ROOT, 'src/tools/shop/commands.ts')
const BUNDLE_FILE = path.join(ROOT, 'node_modules/.cache/pamba-shop.js')
const BUNDLE_INPUTS = ['src/{server,shared,tools}/**/*.ts', 'public/Items.json', 'package-lock.json']

// `npm run shop -- …` runs the operator's commands. They are bundled, because Node loads their many modules slowly.
await runTool(async () => {
  if (isOutdated(BUNDLE_FILE, BUNDLE_INPUTS, ROOT)) await bundle()
  const { main } = (await import(BUNDLE_FILE)) as typeof import('./shop/commands.ts')
  await main()
})

async function bundle(): Promise<void> {
  const code = await bundleScript('commands', {
    root: ROOT,
    ssr: { noExternal: true, external: ['miniflare', 'wrangler'] },
    build: { ssr: COMMANDS_FILE },
  })
  // The bundle is renamed once complete, because another command may start at the same time.
  const unfinished = `${BUNDLE_FILE}.${process.pid}`
  writeFileSync(unfinished, code)
  renameSync(unfinished, BUNDLE_FILE)
}
