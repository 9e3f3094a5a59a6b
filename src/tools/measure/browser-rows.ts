import type { Browser, CDPSession, Page } from 'playwright-core'
import { launchChromium } from '../chromium.ts'
import type { Front } from './https-front.ts'
import type { Report } from './report.ts'
import { median } from './wrk.ts'

const PHONE = { width: 360, height: 740 }
/** The middle of several, as a busy moment counts for little then. */
const INDEX_ROUNDS = 3
const BYTES_PER_KB = 1000
/** A page that has loaded nothing for so long has all it shows. */
const QUIET_MS = 400
/** The pages of a first visit, by the links that lead from one to the next. */
const NEXT_LINKS = ['a[href="/products"]', '.grid a[href^="/product/"]']

type BrowserOptions = { front: Front; taps: number; cpuSlowdown: number }

/** S7, S10, S12, in a real Chromium in front of the shop as production serves it. */
export async function browserRows(
  { front, taps, cpuSlowdown }: BrowserOptions,
  { row, step }: Report,
): Promise<void> {
  const { url, chromiumArgument } = front
  step('Visiting with Chromium')
  const browser = await launchChromium({ args: [chromiumArgument] })
  try {
    const needed = await firstLoad(browser, `${url}/products`)
    row({ id: 'S7', what: 'Shop in Chromium: page, style, scripts', value: needed, budget: { atMost: 5 } })
    const size = (what: string, bytes: number, atMost: number) =>
      row({ id: 'S10', what, value: bytes / BYTES_PER_KB, unit: 'KB', budget: { atMost } })
    const visit = await twoVisits(browser, front)
    size('Home, Shop, a product on the wire', visit.first, 350)
    size('the same again within a day', visit.second, 40)
    size('the first visit with Save-Data', (await twoVisits(browser, front, { savesData: true })).first, 200)
    row({
      ...{ id: 'S12', what: `tap to paint of a prefetched page, CPU slowed ${cpuSlowdown.toFixed(1)} times` },
      ...{ value: await tapToPaint(browser, url, taps, cpuSlowdown), unit: 'ms', budget: { atMost: 100 } },
    })
  } finally {
    await browser.close()
  }
}

/** How many times the CPU is slowed down to that of a mid-range phone, by Lighthouse's benchmark index of this machine. */
export async function slowDown({ row, step }: Report): Promise<number> {
  step('Comparing this machine with a mid-range phone')
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    const indexes: number[] = []
    for (let round = 0; round < INDEX_ROUNDS; round++) indexes.push(await page.evaluate(benchmarkIndex))
    const index = median(indexes)
    row({ id: '', what: "benchmark index of this machine, as Lighthouse's", value: index })
    return slowDownAt(index)
  } finally {
    await browser.close()
  }
}

/** As Lighthouse's throttling calculator has it for a mid-range phone. */
function slowDownAt(index: number): number {
  if (index >= 1300) return 3 + (index - 1300) / 233
  if (index >= 800) return 2 + (index - 800) / 266
  return Math.max(1, 1 + (index - 150) / 650)
}

/** Lighthouse's own measure of a machine: the mean of a loop that makes garbage and of one that does not. Runs in a page. */
function benchmarkIndex(): number {
  const DURATION_MS = 500
  const perTenthSecond = (iterations: number, startMs: number) =>
    Math.round((iterations / 10 / (Date.now() - startMs)) * 1000)
  let startMs = Date.now()
  let iterations = 0
  while (Date.now() - startMs < DURATION_MS) {
    let text = ''
    for (let count = 0; count < 10_000; count++) text += 'a'
    if (text.length === 1) throw new Error('Never thrown: prevents the loop from being optimised away.')
    iterations++
  }
  const withGarbage = perTenthSecond(iterations, startMs)
  const lists: [number[], number[]] = [[], []]
  for (let index = 0; index < 100_000; index++) lists[0][index] = lists[1][index] = index
  startMs = Date.now()
  iterations = 0
  while (iterations % 10 !== 0 || Date.now() - startMs < DURATION_MS) {
    const [source, target] = iterations % 2 === 0 ? lists : [lists[1], lists[0]]
    for (let index = 0; index < source.length; index++) target[index] = source[index] ?? 0
    iterations++
  }
  return (withGarbage + perTenthSecond(iterations, startMs)) / 2
}

/** A page of a phone's size, with its developer tools. */
export async function openPage(
  browser: Browser,
  deviceScaleFactor = 1,
): Promise<{ page: Page; devtools: CDPSession }> {
  const context = await browser.newContext({
    viewport: PHONE,
    deviceScaleFactor,
    hasTouch: true,
    isMobile: true,
  })
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  return { page, devtools }
}

async function openHydrated(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.waitForFunction(() => document.documentElement.dataset.hydrated === 'true')
}

/** How many requests the page had made by the time it was hydrated, images and fonts aside. */
async function firstLoad(browser: Browser, address: string): Promise<number> {
  const { page } = await openPage(browser)
  const kinds: string[] = []
  let isHydrated = false
  page.on('request', (request) => {
    // `after-hydration.ts` is the first of what the page is usable without.
    isHydrated ||= request.url().includes('/after-hydrat')
    if (!isHydrated) kinds.push(request.resourceType())
  })
  await openHydrated(page, address)
  await page.context().close()
  return kinds.filter((kind) => ['document', 'stylesheet', 'script', 'fetch', 'xhr'].includes(kind)).length
}

/**
 * All bytes on the wire of somebody who comes to Home, goes on to the Shop and to a product, and then does so again; with
 * what the service worker fetches.
 */
export async function twoVisits(
  browser: Browser,
  { url, sentBytes }: Front,
  { savesData = false, deviceScaleFactor = 1 } = {},
) {
  const { page, devtools } = await openPage(browser, deviceScaleFactor)
  if (savesData) {
    await devtools.send('Emulation.setDataSaverOverride', { dataSaverEnabled: true })
    await page.setExtraHTTPHeaders({ 'Save-Data': 'on' })
  }
  // Not `networkidle`, which a document has once, whatever its further pages load.
  const loaded = async () => {
    for (let sent = -1; sent !== sentBytes(); await page.waitForTimeout(QUIET_MS)) sent = sentBytes()
  }
  const visit = async () => {
    const before = sentBytes()
    await openHydrated(page, url)
    await loaded()
    for (const link of NEXT_LINKS) {
      const from = page.url()
      // Also a link in the closed menu: it is the way inside the app that counts.
      await page
        .locator(link)
        .first()
        .evaluate((element: HTMLElement) => element.click())
      await page.waitForURL((address) => address.href !== from)
      await loaded()
    }
    if (!savesData) await page.evaluate(() => navigator.serviceWorker.ready)
    return sentBytes() - before
  }
  const visits = { first: await visit(), second: await visit() }
  await page.context().close()
  return visits
}

/** The middle time from a tap on a link to the next page's paint, in ms, when its code and data are there already. */
async function tapToPaint(browser: Browser, url: string, rounds: number, rate: number): Promise<number> {
  const { page, devtools } = await openPage(browser)
  await openHydrated(page, url)
  // Both pages have been visited, so that only the way between them is measured.
  await goInApp(page, '/products')
  await goInApp(page, '/')
  await devtools.send('Emulation.setCPUThrottlingRate', { rate })
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    times.push(await goInApp(page, '/products'))
    await goInApp(page, '/')
  }
  await page.context().close()
  return median(times)
}

/** Follows a link inside the app; the milliseconds from the tap to the paint that shows the page's heading. */
function goInApp(page: Page, path: string): Promise<number> {
  return page.evaluate(async (address) => {
    const link = document.querySelector<HTMLElement>(`a[href="${address}"]`)
    const before = document.querySelector('h1')
    link?.dispatchEvent(new Event('touchstart', { bubbles: true }))
    await new Promise((resolve) => setTimeout(resolve, 300))
    const painted = new Promise<number>((resolve) => {
      new MutationObserver((_, observer) => {
        if (document.querySelector('h1') === before || location.pathname !== address) return
        observer.disconnect()
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel()
          port1.onmessage = () => resolve(performance.now())
          port2.postMessage('')
        })
      }).observe(document.body, { childList: true, subtree: true })
    })
    const tapped = performance.now()
    link?.click()
    return (await painted) - tapped
  }, path)
}
