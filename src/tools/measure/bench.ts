import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from '../build.ts'
import { runTool, ToolError } from '../command.ts'
import { browserRows } from './browser-rows.ts'
import { sizeRows } from './build-sizes.ts'
import { startFront } from './https-front.ts'
import { lighthouseRows } from './lighthouse-rows.ts'
import { SETTINGS, withCatalogue } from './measured-shop.ts'
import { isMet, type Row, table } from './report.ts'
import { roundTripRows } from './round-trip-rows.ts'
import { serverRows } from './server-rows.ts'
import { startWorkerd } from './workerd.ts'

const RESULT_FILE = 'dist/bench.json'

/** How thoroughly is measured; `lighthouseRuns` 0 leaves Lighthouse out. */
const THOROUGH = { rounds: 7, seconds: 2, taps: 9, lighthouseRuns: 3 }
const QUICK = { rounds: 3, seconds: 1, taps: 3, lighthouseRuns: 0 }

/** Measures the build in `dist/` against the budgets, prints the table and writes it as JSON; returns what was missed. */
export async function measure({ isQuick }: { isQuick: boolean }): Promise<Row[]> {
  const root = process.cwd()
  const workFolder = mkdtempSync(path.join(tmpdir(), 'pamba-bench-'))
  const extent = isQuick ? QUICK : THOROUGH
  try {
    const rows = [
      ...(await serverRows({ root, workFolder, ...extent })),
      ...(await roundTripRows(workFolder)),
      ...(await clientRows({ root, workFolder, ...extent })),
    ]
    console.log(table(rows))
    writeFileSync(
      RESULT_FILE,
      `${JSON.stringify({ at: new Date().toISOString(), isQuick, rows }, null, 2)}\n`,
    )
    return rows.filter((row) => !isMet(row))
  } finally {
    rmSync(workFolder, { recursive: true, force: true })
  }
}

type ClientOptions = { root: string; workFolder: string; taps: number; lighthouseRuns: number }

/** What reaches the browser and what it makes of it: sizes, requests, navigation, Lighthouse. */
async function clientRows({ root, workFolder, taps, lighthouseRuns }: ClientOptions): Promise<Row[]> {
  const clientFolder = withCatalogue('usual', path.join(root, 'dist/client'), workFolder)
  const worker = { folder: path.join(root, 'dist/server'), assetsFolder: clientFolder }
  const shop = await startWorkerd({ worker, settings: SETTINGS, workFolder })
  const front = await startFront({ workerUrl: shop.url, clientFolder, workFolder })
  const plain = await startFront({ workerUrl: shop.url, clientFolder, workFolder, withoutScripts: true })
  try {
    await (await fetch(`${shop.url}/products`)).text()
    const shopHtml = await (await fetch(`${shop.url}/products`)).bytes()
    return [
      ...sizeRows(root, shopHtml),
      ...(await browserRows(front.url, { taps })),
      ...(lighthouseRuns > 0
        ? await lighthouseRows({ url: front.url, plainUrl: plain.url, workFolder, runs: lighthouseRuns })
        : []),
    ]
  } finally {
    shop.close()
    await Promise.all([front.close(), plain.close()])
  }
}

// `npm run bench`: the build against the budgets of docs/performance.md; `--quick` takes less than a minute.
if (import.meta.main) {
  await runTool(async () => {
    await build()
    const missed = await measure({ isQuick: process.argv.includes('--quick') })
    if (missed.length > 0)
      throw new ToolError(`Missed: ${missed.map(({ id, what }) => `${id} ${what}`).join('; ')}.`)
  })
}
