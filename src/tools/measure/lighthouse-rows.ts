import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { launchChromium } from '../chromium.ts'
import { findFreePort } from '../ports.ts'
import { calculateMedian, type Report } from './report.ts'

const LIGHTHOUSE_FOLDER = 'src/tools/measure/lighthouse'
const LIGHTHOUSE_LIBRARY = `${LIGHTHOUSE_FOLDER}/node_modules/lighthouse/core/index.js`
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
const ROUNDS = 3

type Figures = Record<keyof typeof AUDITS, number>
type Result = {
  runtimeError?: { message: string }
  environment: { benchmarkIndex: number }
  categories: Record<string, { score: number | null } | undefined>
  audits: Record<string, { numericValue?: number } | undefined>
}
type Lighthouse = (url: string, flags: object) => Promise<{ lhr: Result } | undefined>

/**
 * Measures the rows S8 and S9 (§ 9), compared with *naive* and the page without JavaScript. Returns the CPU slowdown used.
 */
export async function measureLighthouseRows(url: string, naiveUrl: string, report: Report): Promise<number> {
  const { step, atLeast, atMost } = report
  if (!existsSync(LIGHTHOUSE_LIBRARY)) {
    step('Installing Lighthouse')
    await promisify(execFile)('npm', ['ci', '--prefix', LIGHTHOUSE_FOLDER, '--no-audit', '--no-fund'])
  }
  const { default: lighthouse } = (await import(path.resolve(LIGHTHOUSE_LIBRARY))) as { default: Lighthouse }
  const port = await findFreePort()
  const args = [`--remote-debugging-port=${port}`, '--ignore-certificate-errors']
  const browser = await launchChromium({ args })
  let cpuSlowdownMultiplier = 4

  async function run(url: string, flags: object): Promise<Result> {
    const throttling = { cpuSlowdownMultiplier }
    const all = { port, logLevel: 'silent', disableFullPageScreenshot: true, throttling, ...flags }
    const { lhr } = (await lighthouse(url, all)) ?? {}
    if (lhr && !lhr.runtimeError) return lhr
    throw new Error(`Lighthouse on ${url}: ${lhr?.runtimeError?.message ?? 'no result'}`)
  }

  async function measureFigures(url: string, flags: object): Promise<Figures> {
    const { audits } = await run(url, { onlyAudits: Object.values(AUDITS), ...flags })
    const entries = Object.entries(AUDITS).map(([name, id]) => [name, audits[id]?.numericValue ?? Number.NaN])
    return Object.fromEntries(entries) as Figures
  }

  try {
    step('Lighthouse: accessibility, best practices, SEO')
    for (const page of PAGES) {
      const { categories, environment } = await run(url + page, { onlyCategories: CATEGORIES })
      cpuSlowdownMultiplier = calculateCpuSlowdown(environment.benchmarkIndex)
      const scores = CATEGORIES.map((name) => Math.round((categories[name]?.score ?? 0) * 100))
      atLeast('S8', `${page}: lowest category`, Math.min(...scores), 100)
    }
    const subjects = [
      ...PAGES.flatMap((page) => [
        { name: page, address: url + page, flags: {} },
        { name: `${page} plain`, address: url + page, flags: { blockedUrlPatterns: ['*.js'] } },
      ]),
      { name: 'naive', address: naiveUrl + NAIVE_PAGE, flags: {} },
    ]
    const measured: Record<string, Figures[]> = {}
    for (let round = 1; round <= ROUNDS; round++) {
      step(`Lighthouse, CPU slowed ${cpuSlowdownMultiplier.toFixed(1)}×, round ${round} of ${ROUNDS}`)
      for (const { name, address, flags } of subjects)
        measured[name] = [...(measured[name] ?? []), await measureFigures(address, flags)]
    }
    const medianOf = (name: string, figure: keyof Figures) =>
      calculateMedian((measured[name] ?? []).map((each) => each[figure]))
    for (const page of PAGES) {
      const ratioTo = (name: string, figure: keyof Figures) =>
        medianOf(page, figure) === 0 ? 0 : medianOf(page, figure) / medianOf(name, figure)
      atMost('S8', `${page}: layout shift`, medianOf(page, 'shift'), 0.02)
      atMost('S8', `${page}: blocking vs naive app`, ratioTo('naive', 'blocking'), 0.75)
      atMost('S8', `${page}: main-thread work vs naive app`, ratioTo('naive', 'mainThread'), 1.25)
      atMost('S9', `${page}: largest paint vs no JavaScript`, ratioTo(`${page} plain`, 'largestPaint'), 1.1)
      atMost('S9', `${page}: first paint vs naive app`, ratioTo('naive', 'firstPaint'), 1.05)
      atMost('S9', `${page}: largest paint vs naive app`, ratioTo('naive', 'largestPaint'), 1)
    }
    return cpuSlowdownMultiplier
  } finally {
    await browser.close()
  }
}

/** Returns the CPU slowdown that simulates a mid-range phone, as Lighthouse's throttling calculator does. */
function calculateCpuSlowdown(benchmarkIndex: number): number {
  if (benchmarkIndex >= 1300) return 3 + (benchmarkIndex - 1300) / 233
  if (benchmarkIndex >= 800) return 2 + (benchmarkIndex - 800) / 266
  return Math.max(1, 1 + (benchmarkIndex - 150) / 650)
}
