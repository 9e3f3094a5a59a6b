import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { launchChromium } from '../chromium.ts'
import { freePort } from '../ports.ts'
import type { Report } from './report.ts'
import { median } from './wrk.ts'

const FOLDER = 'src/tools/measure/lighthouse'
const LIBRARY = `${FOLDER}/node_modules/lighthouse/core/index.js`
const AUDITS = {
  firstPaint: 'first-contentful-paint',
  largestPaint: 'largest-contentful-paint',
  blocking: 'total-blocking-time',
  shift: 'cumulative-layout-shift',
  mainThread: 'mainthread-work-breakdown',
} as const
const CATEGORIES = ['accessibility', 'best-practices', 'seo']
const PAGES = ['/', '/products', '/product/1']
const NAIVE_PAGE = '/products'
/** On a busy machine a trace is sometimes lost. */
const ATTEMPTS = 3

type Figures = Record<keyof typeof AUDITS, number>
type Result = {
  runtimeError?: { message: string }
  environment: { benchmarkIndex: number }
  categories: Record<string, { score: number | null } | undefined>
  audits: Record<string, { numericValue?: number } | undefined>
}
type Lighthouse = (address: string, flags: object) => Promise<{ lhr: Result } | undefined>

type Options = { url: string; plainUrl: string; naiveUrl: string; rounds: number }

/** S8 and S9: each page in turn with itself without scripts and with *naive*. Returns the CPU slow-down it used. */
export async function lighthouseRows(options: Options, { row, step }: Report): Promise<number> {
  const { url, plainUrl, naiveUrl, rounds } = options
  if (!existsSync(LIBRARY)) {
    step('Installing Lighthouse')
    await promisify(execFile)('npm', ['ci', '--prefix', FOLDER, '--no-audit', '--no-fund'])
  }
  const { default: lighthouse } = (await import(path.resolve(LIBRARY))) as { default: Lighthouse }
  const port = await freePort()
  const browser = await launchChromium({
    args: [`--remote-debugging-port=${port}`, '--ignore-certificate-errors'],
  })
  let cpuSlowdownMultiplier = 4

  async function run(address: string, flags: object, attempts = ATTEMPTS): Promise<Result> {
    const throttling = { cpuSlowdownMultiplier }
    const all = { port, logLevel: 'silent', disableFullPageScreenshot: true, throttling, ...flags }
    const result = await lighthouse(address, all).catch(() => undefined)
    if (result && !result.lhr.runtimeError) return result.lhr
    if (attempts > 1) return run(address, flags, attempts - 1)
    throw new Error(`Lighthouse on ${address}: ${result?.lhr.runtimeError?.message ?? 'no result'}`)
  }

  async function figures(address: string): Promise<Figures> {
    const { audits } = await run(address, { onlyAudits: Object.values(AUDITS) })
    const entries = Object.entries(AUDITS).map(([name, id]) => [name, audits[id]?.numericValue ?? Number.NaN])
    return Object.fromEntries(entries) as Figures
  }

  try {
    step('Lighthouse: accessibility, best practices, SEO')
    for (const page of PAGES) {
      const { categories, environment } = await run(url + page, { onlyCategories: CATEGORIES })
      cpuSlowdownMultiplier = slowDownOf(environment.benchmarkIndex)
      const scores = CATEGORIES.map((name) => Math.round((categories[name]?.score ?? 0) * 100))
      row({
        id: 'S8',
        what: `${page}: lowest category`,
        value: Math.min(...scores),
        budget: { atLeast: 100 },
      })
    }
    const subjects = [
      ...PAGES.flatMap((page) => [
        { name: page, address: url + page },
        { name: `${page} plain`, address: plainUrl + page },
      ]),
      { name: 'naive', address: naiveUrl + NAIVE_PAGE },
    ]
    const measured: Record<string, Figures[]> = {}
    for (let round = 1; round <= rounds; round++) {
      step(`Lighthouse, CPU slowed ${cpuSlowdownMultiplier.toFixed(1)} times, round ${round} of ${rounds}`)
      for (const { name, address } of subjects)
        measured[name] = [...(measured[name] ?? []), await figures(address)]
    }
    const middle = (name: string, figure: keyof Figures) =>
      median((measured[name] ?? []).map((each) => each[figure]))
    for (const page of PAGES) {
      const against = (name: string, figure: keyof Figures) =>
        middle(page, figure) === 0 ? 0 : middle(page, figure) / middle(name, figure)
      const ratio = (id: string, what: string, value: number, atMost: number) =>
        row({ id, what: `${page}: ${what}`, value, budget: { atMost } })
      ratio('S8', 'layout shift', middle(page, 'shift'), 0.02)
      ratio('S8', 'blocking : naive', against('naive', 'blocking'), 0.75)
      ratio('S8', 'main-thread work : naive', against('naive', 'mainThread'), 1.25)
      ratio('S9', 'largest paint : without scripts', against(`${page} plain`, 'largestPaint'), 1.1)
      ratio('S9', 'first paint : naive', against('naive', 'firstPaint'), 1.05)
      ratio('S9', 'largest paint : naive', against('naive', 'largestPaint'), 1)
    }
    return cpuSlowdownMultiplier
  } finally {
    await browser.close()
  }
}

/** How many times to slow this machine to a mid-range phone, as Lighthouse's throttling calculator has it. */
function slowDownOf(benchmarkIndex: number): number {
  if (benchmarkIndex >= 1300) return 3 + (benchmarkIndex - 1300) / 233
  if (benchmarkIndex >= 800) return 2 + (benchmarkIndex - 800) / 266
  return Math.max(1, 1 + (benchmarkIndex - 150) / 650)
}
