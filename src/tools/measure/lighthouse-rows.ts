import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { routes } from '#shared/routes.ts'
import { launchChromium } from '../chromium.ts'
import { freePort } from '../ports.ts'
import type { Report } from './report.ts'
import { median } from './wrk.ts'

const FOLDER = 'src/tools/measure/lighthouse'
const LIBRARY = `${FOLDER}/node_modules/lighthouse/core/index.js`
/** What the category of performance is made of; the rest of its audits takes as long again and weighs nothing. */
const METRICS = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'speed-index',
  'total-blocking-time',
  'cumulative-layout-shift',
]
const OTHER_CATEGORIES = ['accessibility', 'best-practices', 'seo']
const ATTEMPTS = 3
/** One product page represents all of them. */
const PRODUCT_ID = '1'
/** Pages whose largest paint is compared with and without script. */
const COMPARED = ['/', '/products', '/product/1']
const SHOP_PAGE = '/products'

type Audits = { onlyAudits: string[] } | { onlyCategories: string[]; skipAudits: string[] }

type Lighthouse = (
  address: string,
  flags: Audits & {
    port: number
    logLevel: 'silent'
    throttling: { cpuSlowdownMultiplier: number }
    disableFullPageScreenshot: boolean
  },
) => Promise<{ lhr: LighthouseResult } | undefined>

type LighthouseResult = {
  runtimeError?: { message: string }
  categories: Record<string, { score: number | null } | undefined>
  audits: Record<string, { numericValue?: number } | undefined>
}

type Figures = {
  score: number
  blockingMs: number
  shift: number
  firstPaintMs: number
  largestPaintMs: number
}
type Options = {
  url: string
  /** The same pages without script. */
  plainUrl: string
  naiveUrl: string
  /** How often each page is measured. */
  runs: number
  cpuSlowdown: number
}

/** S8 and S9: Lighthouse on every public page, and the Shop against the same page without script and against *naive*. */
export async function lighthouseRows(options: Options, report: Report): Promise<void> {
  const { url, plainUrl, naiveUrl, runs, cpuSlowdown } = options
  const { row, step } = report
  await install(step)
  const { default: lighthouse } = (await import(path.resolve(LIBRARY))) as { default: Lighthouse }
  const port = await freePort()
  const browser = await launchChromium({
    args: [`--remote-debugging-port=${port}`, '--ignore-certificate-errors'],
  })
  const measured = (address: string, audits: Audits) =>
    attempted(async () => {
      const result = await lighthouse(address, {
        ...{ port, logLevel: 'silent', ...audits },
        throttling: { cpuSlowdownMultiplier: cpuSlowdown },
        disableFullPageScreenshot: true,
      })
      if (!result || result.lhr.runtimeError)
        throw new Error(`Lighthouse: ${result?.lhr.runtimeError?.message ?? 'no result'}`)
      return result.lhr
    })
  /** The middle of each figure over several runs. */
  const speedOf = async (address: string): Promise<Figures> => {
    const all: Figures[] = []
    while (all.length < runs) all.push(figuresOf(await measured(address, { onlyAudits: METRICS })))
    const middle = (name: keyof Figures) => median(all.map((figures) => figures[name]))
    return {
      score: middle('score'),
      blockingMs: middle('blockingMs'),
      shift: middle('shift'),
      firstPaintMs: middle('firstPaintMs'),
      largestPaintMs: middle('largestPaintMs'),
    }
  }

  try {
    step(`Lighthouse, ${publicPages().length} pages, each measured ${runs} times`)
    for (const { address, isIndexed } of publicPages()) {
      const page = await speedOf(url + address)
      // These do not differ from run to run. Pages that search engines shall leave out are no worse for saying so.
      const others = await measured(url + address, {
        onlyCategories: OTHER_CATEGORIES,
        skipAudits: isIndexed ? [] : ['is-crawlable'],
      })
      const score = Math.min(page.score, ...OTHER_CATEGORIES.map((category) => scoreOf(others, category)))
      const ms = { unit: 'ms' }
      row({ id: 'S8', what: `${address}: lowest category`, value: score, budget: { atLeast: 100 } })
      row({ id: 'S8', what: `${address}: blocking`, value: page.blockingMs, ...ms, budget: { atMost: 20 } })
      row({ id: 'S8', what: `${address}: layout shift`, value: page.shift, budget: { atMost: 0.02 } })
      row({ id: '', what: `${address}: first paint`, value: page.firstPaintMs, ...ms })
      row({ id: '', what: `${address}: largest paint`, value: page.largestPaintMs, ...ms })
      if (COMPARED.includes(address)) {
        const plain = await speedOf(plainUrl + address)
        const value = page.largestPaintMs / plain.largestPaintMs
        row({ id: 'S9', what: `${address}: largest paint : without script`, value, budget: { atMost: 1.1 } })
      }
      if (address === SHOP_PAGE) naiveRows(page, await speedOf(naiveUrl + address), report)
    }
  } finally {
    await browser.close()
  }
}

function naiveRows(page: Figures, naive: Figures, { row }: Report): void {
  const against = (name: keyof Figures, what: string, atMost: number, id: string) =>
    row({ id, what: `${SHOP_PAGE}: ${what} : naive`, value: page[name] / naive[name], budget: { atMost } })
  row({ id: '', what: 'naive page: blocking', value: naive.blockingMs, unit: 'ms' })
  row({ id: '', what: 'naive page: largest paint', value: naive.largestPaintMs, unit: 'ms' })
  // Both may be zero: then there is nothing to divide, and nothing to complain of.
  if (page.blockingMs > 0) against('blockingMs', 'blocking', 0.5, 'S8')
  against('firstPaintMs', 'first paint', 1.05, 'S9')
  against('largestPaintMs', 'largest paint', 1, 'S9')
}

/** Lighthouse has many packages of its own: only the benchmark has them, from a lockfile of their own. */
async function install(step: Report['step']): Promise<void> {
  if (existsSync(LIBRARY)) return
  step('Installing Lighthouse')
  await promisify(execFile)('npm', ['ci', '--prefix', FOLDER, '--no-audit', '--no-fund', '--loglevel=error'])
}

/** Without the page of an order, which is there for its owner alone. */
function publicPages(): { address: string; isIndexed: boolean }[] {
  return Object.values(routes)
    .filter(({ access }) => access === 'public')
    .map(({ path, indexed: isIndexed }) => ({ address: path.replace(':id', PRODUCT_ID), isIndexed }))
    .filter(({ address }) => !address.includes(':'))
}

/** On a busy machine a trace is sometimes lost: then the page is measured again. */
async function attempted<Value>(measure: () => Promise<Value>, attempts = ATTEMPTS): Promise<Value> {
  try {
    return await measure()
  } catch (error) {
    if (attempts === 1) throw error
    return attempted(measure, attempts - 1)
  }
}

function figuresOf(result: LighthouseResult): Figures {
  const figure = (id: string) => result.audits[id]?.numericValue ?? Number.NaN
  return {
    score: scoreOf(result, 'performance'),
    blockingMs: figure('total-blocking-time'),
    shift: figure('cumulative-layout-shift'),
    firstPaintMs: figure('first-contentful-paint'),
    largestPaintMs: figure('largest-contentful-paint'),
  }
}

/** Out of 100. */
function scoreOf({ categories }: LighthouseResult, category: string): number {
  return Math.round((categories[category]?.score ?? 0) * 100)
}
