import type { Browser } from 'playwright-core'
import { launchChromium } from '../chromium.ts'
import type { EdgeProxy } from './edge-proxy.ts'
import { calculateMedian, type Report } from './report.ts'

const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true }
const BYTES_PER_KB = 1000
/** A page counts as loaded if there was no traffic for this long. */
const QUIET_MS = 400
const TAPS = 5
const NEXT_LINKS = ['a[href="/products"]', '.grid a[href^="/product/"]']
/** Limits on what a page does without input in its first `WATCHED_MS`. Home's limits allow for its splash and clock. */
const WORK_LIMITS = [
  { path: '/', Documents: 6, RecalcStyleCount: 12, LayoutCount: 6 },
  { path: '/products', Documents: 4, RecalcStyleCount: 5, LayoutCount: 5 },
  { path: '/product/1', Documents: 4, RecalcStyleCount: 6, LayoutCount: 5 },
] as const
const WATCHED_MS = 4000

/** Measures the rows S10 and S12, and the counts of S8 (§ 9), in Chromium. */
export async function measureBrowserRows(front: EdgeProxy, cpuSlowdown: number, { step, atMost }: Report) {
  step('Visiting the shop with Chromium')
  const browser = await launchChromium({ args: [front.chromiumArgument] })
  try {
    const atMostKb = (id: string, what: string, bytes: number, limit: number) =>
      atMost(id, what, bytes / BYTES_PER_KB, limit, 'KB')
    const visit = await measureTwoVisits(browser, front)
    atMostKb('S10', 'Home, Shop and a product: bytes transferred', visit.first, 350)
    atMostKb('S10', 'the same, repeat visit within a day', visit.second, 40)
    const { first } = await measureTwoVisits(browser, front, true)
    atMostKb('S10', 'the first visit with Save-Data', first, 200)
    for (const { path, ...limits } of WORK_LIMITS) {
      const counts = await countWork(browser, front.url + path)
      for (const [metric, limit] of Object.entries(limits))
        atMost('S8', `${path}: ${metric} in 4 s, without input`, counts.get(metric) ?? Number.NaN, limit)
    }
    const paintMs = await measureTapToPaint(browser, front.url, cpuSlowdown)
    atMost('S12', `tap to paint, prefetched page, CPU slowed ${cpuSlowdown.toFixed(1)}×`, paintMs, 100, 'ms')
  } finally {
    await browser.close()
  }
}

async function openPage(browser: Browser, url: string, savesData = false) {
  const context = await browser.newContext({
    ...PHONE,
    ...(savesData && { extraHTTPHeaders: { 'Save-Data': 'on' } }),
  })
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setDataSaverOverride', { dataSaverEnabled: savesData })
  await page.goto(url)
  await page.waitForFunction(() => document.documentElement.dataset.hydrated === 'true')
  return { page, devtools, close: () => context.close() }
}

async function measureTwoVisits(browser: Browser, { url, sentBytes }: EdgeProxy, savesData = false) {
  const before = sentBytes()
  const { page, close } = await openPage(browser, url, savesData)
  // `networkidle` fires once per document, so it would miss in-app navigation.
  const waitUntilLoaded = async () => {
    for (let sent = -1; sent !== sentBytes(); await page.waitForTimeout(QUIET_MS)) sent = sentBytes()
  }
  const visit = async () => {
    await waitUntilLoaded()
    for (const link of NEXT_LINKS) {
      const from = page.url()
      // A DOM click works even on links in the closed menu.
      await page.locator(link).first().dispatchEvent('click')
      await page.waitForURL((url) => url.href !== from)
      await waitUntilLoaded()
    }
    if (!savesData) await page.evaluate(() => navigator.serviceWorker.ready)
    return sentBytes()
  }
  const betweenVisits = await visit()
  await page.goto(url)
  const after = await visit()
  await close()
  return { first: betweenVisits - before, second: after - betweenVisits }
}

/** Chromium's own counters depend little on the machine's speed. */
async function countWork(browser: Browser, url: string): Promise<Map<string, number>> {
  const context = await browser.newContext(PHONE)
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Performance.enable')
  await page.goto(url)
  await page.waitForTimeout(WATCHED_MS)
  const { metrics } = await devtools.send('Performance.getMetrics')
  await context.close()
  return new Map(metrics.map(({ name, value }) => [name, value]))
}

async function measureTapToPaint(browser: Browser, url: string, rate: number): Promise<number> {
  const { page, devtools, close } = await openPage(browser, url)
  const times: number[] = []
  for (let round = 0; round <= TAPS; round++) {
    const toShop = await page.evaluate(navigate, '/products')
    await page.evaluate(navigate, '/')
    // The first round isn't measured, because it prefetches.
    if (round === 0) await devtools.send('Emulation.setCPUThrottlingRate', { rate })
    else times.push(toShop)
  }
  await close()
  return calculateMedian(times)
}

/** Runs in the page. Follows a link and returns the milliseconds from the tap to the paint of the next heading. */
async function navigate(path: string): Promise<number> {
  const link = document.querySelector<HTMLElement>(`a[href="${path}"]`)
  const before = document.querySelector('h1')
  link?.dispatchEvent(new Event('touchstart', { bubbles: true }))
  await new Promise((resolve) => setTimeout(resolve, 300))
  const painted = new Promise<number>((resolve) => {
    new MutationObserver((_, observer) => {
      if (document.querySelector('h1') === before || location.pathname !== path) return
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
}
