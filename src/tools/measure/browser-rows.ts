import type { Browser } from 'playwright-core'
import { launchChromium } from '../chromium.ts'
import type { Front } from './front.ts'
import type { Report } from './report.ts'
import { median } from './wrk.ts'

const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true }
const BYTES_PER_KB = 1000
/** A page that has loaded nothing for so long has loaded all it shows. */
const QUIET_MS = 400
const TAPS = 5
/** The pages of a first visit, by the links from one to the next. */
const NEXT_LINKS = ['a[href="/products"]', '.grid a[href^="/product/"]']
const PAGES = ['/', '/products', '/product/1', '/about']

/** S10, S12 and S17, in Chromium in front of the shop as production serves it. */
export async function browserRows(front: Front, cpuSlowdown: number, { row, step }: Report): Promise<void> {
  step('Visiting with Chromium')
  const browser = await launchChromium({ args: [front.chromiumArgument] })
  try {
    const kilobytes = (what: string, bytes: number, atMost: number, id = 'S10') =>
      row({ id, what, value: bytes / BYTES_PER_KB, unit: 'KB', budget: { atMost } })
    const visit = await twoVisits(browser, front)
    kilobytes('Home, Shop, a product on the wire', visit.first, 350)
    kilobytes('the same again within a day', visit.second, 40)
    kilobytes('the first visit with Save-Data', (await twoVisits(browser, front, true)).first, 200)
    const tap = `tap to paint of a prefetched page, CPU slowed ${cpuSlowdown.toFixed(1)} times`
    row({
      ...{ id: 'S12', what: tap, value: await tapToPaint(browser, front.url, cpuSlowdown), unit: 'ms' },
      budget: { atMost: 100 },
    })
    const { svgs, largestBytes, undecoded } = await pictures(browser, front.url)
    row({ id: 'S17', what: 'product pictures that are SVG documents', value: svgs, budget: { atMost: 0 } })
    kilobytes('largest product picture of a card', largestBytes, 12, 'S17')
    row({
      id: 'S17',
      what: 'product pictures without decoding="async"',
      value: undecoded,
      budget: { atMost: 0 },
    })
  } finally {
    await browser.close()
  }
}

async function openPage(browser: Browser, address: string, prepare = async (_devtools: Devtools) => {}) {
  const context = await browser.newContext(PHONE)
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  await prepare(devtools)
  await page.goto(address)
  await page.waitForFunction(() => document.documentElement.dataset.hydrated === 'true')
  return { page, devtools, close: () => context.close() }
}

type Devtools = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['newCDPSession']>>

/** Bytes on the wire of a visit to Home, Shop and a product, and of the same again; the service worker's included. */
async function twoVisits(browser: Browser, { url, sentBytes }: Front, savesData = false) {
  const before = sentBytes()
  const { page, close } = await openPage(browser, url, async (devtools) => {
    if (!savesData) return
    await devtools.send('Emulation.setDataSaverOverride', { dataSaverEnabled: true })
    await devtools.send('Network.setExtraHTTPHeaders', { headers: { 'Save-Data': 'on' } })
  })
  // Not `networkidle`, which a document reaches once, whatever its further pages load.
  const loaded = async () => {
    for (let sent = -1; sent !== sentBytes(); await page.waitForTimeout(QUIET_MS)) sent = sentBytes()
  }
  const visit = async () => {
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
    return sentBytes()
  }
  const between = await visit()
  await page.goto(url)
  const after = await visit()
  await close()
  return { first: between - before, second: after - between }
}

/** The median time from a tap on a link to the next page's paint, in ms, when its code and data are there. */
async function tapToPaint(browser: Browser, url: string, rate: number): Promise<number> {
  const { page, devtools, close } = await openPage(browser, url)
  const times: number[] = []
  for (let round = 0; round <= TAPS; round++) {
    const toShop = await page.evaluate(navigate, '/products')
    await page.evaluate(navigate, '/')
    // The first round prefetches.
    if (round === 0) await devtools.send('Emulation.setCPUThrottlingRate', { rate })
    else times.push(toShop)
  }
  await close()
  return median(times)
}

/** Runs in the page: follows a link inside the app; milliseconds from the tap to the paint of the page's heading. */
async function navigate(address: string): Promise<number> {
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
}

/** What the product pictures of all pages are: SVG documents, their largest file on a card, how they are decoded. */
async function pictures(browser: Browser, url: string) {
  const found = { svgs: 0, largestBytes: 0, undecoded: 0 }
  for (const address of PAGES) {
    const { page, close } = await openPage(browser, url + address)
    const images = await page.evaluate(async () => {
      const all = [...document.querySelectorAll<HTMLImageElement>('main img')]
      for (const image of all) image.loading = 'eager'
      await Promise.all(all.map((image) => image.decode().catch(() => {})))
      return Promise.all(
        all.map(async ({ currentSrc, decoding }) => ({
          isSvg: new URL(currentSrc || location.href).pathname.endsWith('.svg'),
          bytes: currentSrc ? (await (await fetch(currentSrc)).arrayBuffer()).byteLength : 0,
          isAsync: decoding === 'async',
        })),
      )
    })
    found.svgs += images.filter(({ isSvg }) => isSvg).length
    found.undecoded += images.filter(({ isAsync }) => !isAsync).length
    if (address === '/products') found.largestBytes = Math.max(...images.map(({ bytes }) => bytes))
    await close()
  }
  return found
}
