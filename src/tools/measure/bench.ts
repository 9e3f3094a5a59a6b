import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from '../build.ts'
import { runTool, ToolError } from '../command.ts'
import { ensureLocalSecrets, prepareDatabase, serve } from '../local-shop.ts'
import { freePort } from '../ports.ts'
import { browserRows } from './browser-rows.ts'
import { sizeRows } from './build-sizes.ts'
import { startFront } from './front.ts'
import { lighthouseRows } from './lighthouse-rows.ts'
import { withCatalogue } from './measured-shop.ts'
import { officeRows } from './office-rows.ts'
import { buildNaive } from './references.ts'
import { isMet, type Report, startReport } from './report.ts'
import { serverRows } from './server-rows.ts'

const RESULT_FILE = 'dist/bench.json'
/** `--quick` leaves Lighthouse out. */
const THOROUGH = { rounds: 3, seconds: 2, starts: 7, lighthouseRounds: 3 }
const QUICK = { rounds: 3, seconds: 1, starts: 3, lighthouseRounds: 0 }
/** Without Lighthouse, which measures the machine. */
const USUAL_SLOWDOWN = 4

async function measure(options: typeof THOROUGH, workFolder: string, report: Report): Promise<void> {
  report.step('Building')
  ensureLocalSecrets()
  await build()
  const root = process.cwd()
  const clientFolder = withCatalogue('usual', path.resolve('dist/client'), workFolder)
  const naive = await buildNaive(root, workFolder, clientFolder)
  await serverRows({ ...options, workFolder, naiveFolder: naive.server }, report)
  await officeRows(workFolder, report)

  const stateFolder = path.join(workFolder, 'state')
  await prepareDatabase(stateFolder)
  const quietly = { stateFolder, onLog: () => {} }
  const shop = await serve({ ...quietly, port: await freePort(), assetsFolder: clientFolder })
  const naiveShop = await serve({
    ...{ ...quietly, port: await freePort(), stateFolder: `${stateFolder}-naive` },
    ...{ assetsFolder: naive.client, modulesFolder: naive.server },
  })
  const front = await startFront({ origin: shop.url, workFolder })
  const plain = await startFront({ origin: shop.url, workFolder, withoutScripts: true })
  const naiveFront = await startFront({ origin: naiveShop.url, workFolder })
  try {
    await fetch(`${shop.url}/products`)
    sizeRows(root, await (await fetch(`${shop.url}/products`)).bytes(), report)
    const urls = { url: front.url, plainUrl: plain.url, naiveUrl: naiveFront.url }
    const rounds = options.lighthouseRounds
    const slowDown = rounds > 0 ? await lighthouseRows({ ...urls, rounds }, report) : USUAL_SLOWDOWN
    await browserRows(front, slowDown, report)
  } finally {
    for (const each of [front, plain, naiveFront, shop, naiveShop]) await each.close()
  }
}

// `npm run bench`: the build against its budgets.
await runTool(async () => {
  const report = startReport()
  const workFolder = mkdtempSync(path.join(tmpdir(), 'pamba-bench-'))
  const isQuick = process.argv.includes('--quick')
  try {
    await measure(isQuick ? QUICK : THOROUGH, workFolder, report)
  } finally {
    rmSync(workFolder, { recursive: true, force: true })
  }
  const result = { at: new Date().toISOString(), isQuick, rows: report.rows }
  writeFileSync(RESULT_FILE, `${JSON.stringify(result, null, 2)}\n`)
  const missed = report.rows.filter((row) => !isMet(row))
  if (missed.length > 0)
    throw new ToolError(`Missed: ${missed.map(({ id, what }) => `${id} ${what}`).join('; ')}.`)
  console.log(`All ${report.rows.length} rows are within their budgets.`)
})
