import { CHROMIUM_ADVICE, chromiumPath } from '../../test/support/chromium.ts'
import { checkCode } from './checks.ts'
import { command, runTool, ToolError } from './command.ts'
import { build, ensureLocalSecrets, requireCatalogue } from './local-shop.ts'

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
