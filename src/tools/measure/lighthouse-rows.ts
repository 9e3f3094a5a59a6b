import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { routes } from '#shared/routes.ts'
import { chromiumPath } from '../chromium.ts'
import type { Row } from './report.ts'
import { median } from './wrk.ts'

const run = promisify(execFile)
const FOLDER = 'src/tools/measure/lighthouse'
const CLI = `${FOLDER}/node_modules/lighthouse/cli/index.js`
const CHROME_FLAGS =
  '--headless=new --no-sandbox --disable-gpu --ignore-certificate-errors --disable-quic --no-first-run'
const OPTIONS = [
  '--quiet',
  '--output=json',
  '--only-categories=performance,accessibility,best-practices,seo',
  `--chrome-flags=${CHROME_FLAGS}`,
]
const TRIES = 3
/** A product stands for all of them. */
const PARAMETERS = { ':id': '1' }
/** Pages whose first picture is compared with and without script. */
const COMPARED = ['/', '/products', '/product/1']

type Audits = Record<string, { numericValue?: number } | undefined>
type Report = { categories: Record<string, { score: number | null }>; audits: Audits }
type Figures = { lowestScore: number; blockingMs: number; shift: number; paintMs: number }
type LighthouseOptions = { url: string; plainUrl: string; workFolder: string; runs: number }

/** S8 and S9: Lighthouse on every public page, and the largest paint against the same page without any script. */
export async function lighthouseRows({ url, plainUrl, workFolder, runs }: LighthouseOptions): Promise<Row[]> {
  await install()
  const audit = (address: string, more: string[] = []) =>
    middleOf(runs, () => lighthouse(address, workFolder, more))
  const rows: Row[] = []
  for (const { address, isIndexed } of publicPages()) {
    // Pages that search engines shall leave out are no worse for saying so.
    const page = await audit(url + address, isIndexed ? [] : ['--skip-audits=is-crawlable'])
    rows.push(
      {
        id: 'S8',
        what: `${address}: lowest of the categories`,
        value: page.lowestScore,
        budget: { atLeast: 100 },
      },
      {
        id: 'S8',
        what: `${address}: blocking time`,
        value: page.blockingMs,
        unit: 'ms',
        budget: { atMost: 20 },
      },
      { id: 'S8', what: `${address}: layout shift`, value: page.shift, budget: { atMost: 0.02 } },
      { id: '', what: `${address}: largest paint`, value: page.paintMs, unit: 'ms' },
    )
    if (!COMPARED.includes(address)) continue
    const { paintMs } = await audit(plainUrl + address)
    const ratio = page.paintMs / paintMs
    rows.push({
      id: 'S9',
      what: `${address}: largest paint : without script`,
      value: ratio,
      budget: { atMost: 1.3 },
    })
  }
  return rows
}

/** Lighthouse has many packages of its own: only the benchmark has them, from a lockfile of their own. */
async function install(): Promise<void> {
  if (existsSync(CLI)) return
  console.log('Installing Lighthouse …')
  await run('npm', ['ci', '--prefix', FOLDER, '--no-audit', '--no-fund', '--loglevel=error'])
}

function publicPages(): { address: string; isIndexed: boolean }[] {
  return Object.values(routes)
    .filter(({ access }) => access === 'public')
    .map(({ path: address, indexed: isIndexed }) => ({
      address: address.replace(/:\w+/, (name) => PARAMETERS[name as keyof typeof PARAMETERS]),
      isIndexed,
    }))
}

/** The middle of each figure over several runs. */
async function middleOf(runs: number, measure: () => Promise<Figures>): Promise<Figures> {
  const all: Figures[] = []
  for (let count = 0; count < runs; count++) all.push(await measure())
  const middle = (figure: keyof Figures) => median(all.map((figures) => figures[figure]))
  return {
    lowestScore: middle('lowestScore'),
    blockingMs: middle('blockingMs'),
    shift: middle('shift'),
    paintMs: middle('paintMs'),
  }
}

async function lighthouse(
  address: string,
  workFolder: string,
  more: string[],
  tries = TRIES,
): Promise<Figures> {
  const output = path.join(mkdtempSync(path.join(workFolder, 'lighthouse-')), 'report.json')
  const options = [...OPTIONS, `--output-path=${output}`, ...more]
  try {
    await run(process.execPath, [CLI, address, ...options], {
      env: { ...process.env, CHROME_PATH: chromiumPath() ?? '' },
    })
  } catch (error) {
    // On a busy machine a trace is lost now and then; that says nothing of the page.
    if (tries === 1) throw error
    return lighthouse(address, workFolder, more, tries - 1)
  }
  const { categories, audits } = JSON.parse(readFileSync(output, 'utf8')) as Report
  const figure = (id: string) => audits[id]?.numericValue ?? Number.NaN
  return {
    lowestScore: Math.min(...Object.values(categories).map(({ score }) => Math.round((score ?? 0) * 100))),
    blockingMs: figure('total-blocking-time'),
    shift: figure('cumulative-layout-shift'),
    paintMs: figure('largest-contentful-paint'),
  }
}
