import { renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { bundleScript, isOutdated } from './build.ts'
import { runTool } from './command.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const COMMANDS = path.join(ROOT, 'src/tools/shop/commands.ts')
const BUNDLE = path.join(ROOT, 'node_modules/.cache/pamba-shop.js')
const INPUTS = ['src/{server,shared,tools}/**/*.ts', 'public/Items.json', 'package-lock.json']

// `npm run shop -- …` runs the operator's commands. They are bundled, because Node loads their 450 modules slowly.
await runTool(async () => {
  if (isOutdated(BUNDLE, INPUTS, ROOT)) await bundle()
  const { main } = (await import(BUNDLE)) as typeof import('./shop/commands.ts')
  await main()
})

async function bundle(): Promise<void> {
  const code = await bundleScript('commands', {
    root: ROOT,
    ssr: { noExternal: true, external: ['miniflare', 'wrangler'] },
    build: { ssr: COMMANDS },
  })
  // The bundle is renamed once complete, because another command may start at the same time.
  const unfinished = `${BUNDLE}.${process.pid}`
  writeFileSync(unfinished, code)
  renameSync(unfinished, BUNDLE)
}
