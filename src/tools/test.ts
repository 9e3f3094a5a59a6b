import { build, checkCode, requireCatalogue } from './build.ts'
import { CHROMIUM_ADVICE, chromiumPath } from './chromium.ts'
import { command, runTool, ToolError } from './command.ts'
import { ensureLocalSecrets } from './local-shop.ts'

// `npm test`: types, lint, unused code, then unit, Workers-pool and browser tests; what follows a failure does not run.
// Arguments go to vitest: `npm test -- --project unit cart`.
await runTool(async () => {
  if (!chromiumPath()) {
    if (process.env.CI === 'true') throw new ToolError(CHROMIUM_ADVICE)
    console.warn(`${CHROMIUM_ADVICE} Without one they are skipped.`)
  }
  requireCatalogue()
  ensureLocalSecrets()
  console.log('Checking types, lint and unused code …')
  await checkCode()
  console.log('Building …')
  await build()
  await command('vitest', ['run', ...process.argv.slice(2)], 'Tests failed; see above.', { output: 'show' })
})
