import { command, runTool } from './command.ts'
import { build, ensureLocalSecrets } from './local-shop.ts'

// `npm test`: types, lint, then unit, Workers-pool and browser tests; what follows a failure does not run.
await runTool(async () => {
  ensureLocalSecrets()
  const show = { output: 'show' } as const
  await Promise.all([
    command('tsc', ['--noEmit'], 'The types do not hold; the messages are above.', { output: 'on-failure' }),
    command('biome', ['check', '--error-on-warnings'], 'The linter objects; its messages are above.', {
      output: 'on-failure',
    }),
  ])
  await build()
  await command('vitest', ['run', ...process.argv.slice(2)], 'Tests failed; see above.', show)
})
