import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { routes } from '#shared/routes.ts'
import { chromiumPath } from '#test/support/chromium.ts'
import { median } from './load.ts'
import type { Row } from './report.ts'

const run = promisify(execFile)
const FOLDER = 'test/bench/lighthouse'
const CLI = `${FOLDER}/node_modules/lighthouse/cli/index.js`
const CHROME_FLAGS =
  '--headless=new --no-sandbox --disable-gpu --ignore-certificate-errors --disable-quic --no-first-run'
/** A product stands for all of them. */
const PARAMETERS = { ':id': '1' }
/** Pages whose first picture is compared with and without script. */
const COMPARED = ['/', '/products', '/product/1']

type Report = {
  categories: Record<string, { score: number | null }>
  audits: Record<string, { score: number | null; numericValue?: number; scoreDisplayMode: string }>
}
type LighthouseOptions = { url: string; plainUrl: string; workFolder: string; runs: number }

/** S8 and S9: Lighthouse on every public page, and the largest paint against the same page without any script. */
export async function lighthouseRows({ url, plainUrl, workFolder, runs }: LighthouseOptions): Promise<Row[]> {
  await install()
  const audit = (address: string) => medianRun(address, workFolder, runs)
  const rows: Row[] = []
  for (const page of publicPaths()) {
    const report = await audit(url + page)
    const scores = Object.entries(report.categories).map(
      ([name, { score }]): Row => ({
        ...{
          id: 'S8',
          what: `${page} ${name}`,
          value: Math.round((score ?? 0) * 100),
          budget: { atLeast: 100 },
        },
      }),
    )
    const value = (id: string) => report.audits[id]?.numericValue ?? Number.NaN
    rows.push(
      ...scores,
      {
        id: 'S8',
        what: `${page} blocking time`,
        value: value('total-blocking-time'),
        unit: 'ms',
        budget: { atMost: 20 },
      },
      {
        id: 'S8',
        what: `${page} layout shift`,
        value: value('cumulative-layout-shift'),
        budget: { atMost: 0.02 },
      },
    )
    if (!COMPARED.includes(page)) continue
    const plain = await audit(plainUrl + page)
    const LCP = 'largest-contentful-paint'
    rows.push(
      { id: '', what: `${page} largest paint`, value: value(LCP), unit: 'ms' },
      {
        ...{ id: 'S9', what: `${page} largest paint : without script` },
        ...{ value: value(LCP) / (plain.audits[LCP]?.numericValue ?? Number.NaN), budget: { atMost: 1.3 } },
      },
    )
  }
  return rows
}

/** Lighthouse has many packages of its own: only the benchmark has them, from a lockfile of their own. */
async function install(): Promise<void> {
  if (existsSync(CLI)) return
  console.log('Installing Lighthouse …')
  await run('npm', ['ci', '--prefix', FOLDER, '--no-audit', '--no-fund', '--loglevel=error'])
}

function publicPaths(): string[] {
  return Object.values(routes)
    .filter(({ access }) => access === 'public')
    .map((page) => page.path.replace(/:\w+/, (name) => PARAMETERS[name as keyof typeof PARAMETERS]))
}

/** Of several runs, the one with the middle performance score. */
async function medianRun(address: string, workFolder: string, runs: number): Promise<Report> {
  const reports: Report[] = []
  for (let count = 0; count < runs; count++) reports.push(await lighthouse(address, workFolder))
  const scoreOf = (report: Report) => report.audits['largest-contentful-paint']?.numericValue ?? 0
  const middle = median(reports.map(scoreOf))
  return (
    reports.find((report) => scoreOf(report) === middle) ??
    Promise.reject(new Error('Lighthouse did not run.'))
  )
}

async function lighthouse(address: string, workFolder: string): Promise<Report> {
  const output = path.join(mkdtempSync(path.join(workFolder, 'lighthouse-')), 'report.json')
  const options = ['--quiet', '--output=json', `--output-path=${output}`, `--chrome-flags=${CHROME_FLAGS}`]
  await run(process.execPath, [CLI, address, ...options], {
    env: { ...process.env, CHROME_PATH: chromiumPath() ?? '' },
  })
  return JSON.parse(readFileSync(output, 'utf8')) as Report
}
