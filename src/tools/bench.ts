import { measure } from '#test/bench/main.ts'
import { runTool, ToolError } from './command.ts'
import { build } from './local-shop.ts'

// `npm run bench`: the build against the budgets of docs/performance.md; `--quick` takes less than a minute.
await runTool(async () => {
  await build()
  const missed = await measure({ isQuick: process.argv.includes('--quick') })
  if (missed.length > 0)
    throw new ToolError(`Missed: ${missed.map(({ id, what }) => `${id} ${what}`).join('; ')}.`)
})
