import { freePort } from '../../test/support/free-port.ts'
import { runTool, ToolError } from './command.ts'
import { killDuringCheckouts } from './kills-run.ts'
import { build, ensureLocalSecrets } from './local-shop.ts'

const KILLS = 100

// `npm run kills`: kills the built shop a hundred times during checkouts and counts the books; `-- 10` ten times.
await runTool(async () => {
  const kills = Number(process.argv[2] ?? KILLS)
  if (!Number.isInteger(kills) || kills < 1) throw new ToolError('Say how many kills: npm run kills -- 100')
  ensureLocalSecrets()
  await build()
  console.log(`Killing the shop ${kills} times; this takes about ${Math.ceil((kills * 4) / 60)} minutes …`)
  const { problems, ...counts } = await killDuringCheckouts({ kills, port: await freePort() })
  console.table(counts)
  if (problems.length > 0) throw new ToolError(problems.join('\n'))
  console.log('No order is lost, doubled, or without its lines and mails.')
})
