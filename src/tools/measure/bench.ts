import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from '../build.ts'
import { runTool, ToolError } from '../command.ts'
import { browserRows, slowDown } from './browser-rows.ts'
import { sizeRows } from './build-sizes.ts'
import { startFront } from './https-front.ts'
import { interactionRows } from './interaction-rows.ts'
import { lighthouseRows } from './lighthouse-rows.ts'
import { SETTINGS, withCatalogue } from './measured-shop.ts'
import { growthRows, officeRows } from './office-rows.ts'
import { photoRows } from './photo-rows.ts'
import { buildNaive } from './references.ts'
import { isMet, type Report, startReport } from './report.ts'
import { roundTripRows } from './round-trip-rows.ts'
import { serverRows } from './server-rows.ts'
import { stockRows } from './stock-rows.ts'
import { startWorkerd } from './workerd.ts'

const RESULT_FILE = 'dist/bench.json'
const GROWTH_FILE = 'dist/growth.json'

/** How thoroughly is measured; `lighthouseRuns` 0 leaves Lighthouse out. */
const THOROUGH = { rounds: 5, seconds: 2, starts: 7, taps: 5, lighthouseRuns: 3 }
const QUICK = { rounds: 3, seconds: 1, starts: 3, taps: 3, lighthouseRuns: 0 }

type Options = typeof THOROUGH & { root: string; workFolder: string }

/** Measures the build in `dist/`, row by row. */
async function measure(options: Options, report: Report): Promise<void> {
  const { root, workFolder } = options
  const built = path.join(root, 'dist/client')
  const clientFolder = withCatalogue('usual', built, workFolder)
  const manyFolder = withCatalogue('many', built, workFolder)
  const naive = await buildNaive(root, workFolder, clientFolder)
  await serverRows({ ...options, clientFolder, manyFolder, naiveFolder: naive.server }, report)
  await stockRows(options, report)
  await roundTripRows(workFolder, report)
  await officeRows(root, workFolder, report)
  await photoRows(options, report)
  await clientRows({ ...options, clientFolder, manyFolder, naive }, report)
}

type ClientOptions = Options & {
  clientFolder: string
  manyFolder: string
  naive: { server: string; client: string }
}

/** What reaches the browser and what it makes of it: sizes, requests, navigation, Lighthouse. */
async function clientRows(
  { root, workFolder, clientFolder, manyFolder, naive, taps, lighthouseRuns }: ClientOptions,
  report: Report,
): Promise<void> {
  const worker = { folder: path.join(root, 'dist/server'), assetsFolder: clientFolder }
  const shop = await startWorkerd({ worker, settings: SETTINGS, workFolder })
  const large = await startWorkerd({
    worker: { ...worker, assetsFolder: manyFolder },
    settings: SETTINGS,
    readyPath: '/products',
    workFolder,
  })
  const reference = await startWorkerd({
    worker: { folder: naive.server },
    readyPath: '/products',
    workFolder,
  })
  const shopFront = { workerUrl: shop.url, clientFolder, workFolder }
  const front = await startFront(shopFront)
  const plain = await startFront({ ...shopFront, withoutScripts: true })
  const largeFront = await startFront({ workerUrl: large.url, clientFolder: manyFolder, workFolder })
  const naiveFront = await startFront({ workerUrl: reference.url, clientFolder: naive.client, workFolder })
  try {
    await (await fetch(`${shop.url}/products`)).text()
    sizeRows(root, await (await fetch(`${shop.url}/products`)).bytes(), report)
    const cpuSlowdown = await slowDown(report)
    await browserRows({ front, taps, cpuSlowdown }, report)
    await interactionRows({ 64: front, '5,000': largeFront }, report)
    if (lighthouseRuns > 0)
      await lighthouseRows(
        { url: front.url, plainUrl: plain.url, naiveUrl: naiveFront.url, runs: lighthouseRuns, cpuSlowdown },
        report,
      )
  } finally {
    for (const workerd of [shop, large, reference]) workerd.close()
    await Promise.all([front, plain, largeFront, naiveFront].map((server) => server.close()))
  }
}

// `npm run bench`: the build against the budgets of § 9; `--quick` leaves Lighthouse out, `--growth` measures a million orders alone.
if (import.meta.main) {
  await runTool(async () => {
    const isQuick = process.argv.includes('--quick')
    const isGrowth = process.argv.includes('--growth')
    const report = startReport()
    if (!isGrowth) {
      report.step('Building')
      await build()
    }
    const workFolder = mkdtempSync(path.join(tmpdir(), 'pamba-bench-'))
    try {
      if (isGrowth) await growthRows(workFolder, report)
      else await measure({ root: process.cwd(), workFolder, ...(isQuick ? QUICK : THOROUGH) }, report)
    } finally {
      rmSync(workFolder, { recursive: true, force: true })
    }
    const resultFile = isGrowth ? GROWTH_FILE : RESULT_FILE
    const result = { at: new Date().toISOString(), isQuick, rows: report.rows }
    writeFileSync(resultFile, `${JSON.stringify(result, null, 2)}\n`)
    const missed = report.rows.filter((row) => !isMet(row))
    if (missed.length > 0)
      throw new ToolError(`Missed: ${missed.map(({ id, what }) => `${id} ${what}`).join('; ')}.`)
  })
}
