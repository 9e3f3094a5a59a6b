import type { Browser, CDPSession, Page } from 'playwright-core'
import { launchChromium } from '../chromium.ts'
import type { Row } from './report.ts'
import { median } from './wrk.ts'

const PHONE = { width: 360, height: 740 }
const CPU_SLOWDOWN = 4
const BYTES_PER_KB = 1000
/** The pages of a first visit, by the links that lead from one to the next. */
const NEXT_LINKS = ['a[href="/products"]', '.grid a[href^="/product/"]']

/** S7, S10, S12, in a real Chromium in front of the shop as production serves it. */
export async function browserRows(url: string, { taps }: { taps: number }): Promise<Row[]> {
  const browser = await launchChromium()
  try {
    const first = await firstLoad(browser, `${url}/products`)
    const plain = await firstVisit(browser, url, { savesData: false })
    const saving = await firstVisit(browser, url, { savesData: true })
    const KB = { unit: 'KB' }
    return [
      {
        id: 'S7',
        what: 'Shop in Chromium: page, style, scripts',
        value: first.needed,
        budget: { atMost: 4 },
      },
      { id: '', what: 'Shop in Chromium: fonts, which nothing waits for', value: first.fonts },
      { id: 'S10', what: 'Home, Shop, a product on the wire', value: plain, ...KB, budget: { atMost: 350 } },
      { id: 'S10', what: 'the same with Save-Data', value: saving, ...KB, budget: { atMost: 200 } },
      {
        ...{ id: 'S12', what: 'tap to paint of a prefetched page, 4× slowed CPU', unit: 'ms' },
        ...{ value: await tapToPaint(browser, url, taps), budget: { atMost: 100 } },
      },
    ]
  } finally {
    await browser.close()
  }
}

async function openPage(browser: Browser): Promise<{ page: Page; devtools: CDPSession }> {
  const context = await browser.newContext({
    viewport: PHONE,
    hasTouch: true,
    isMobile: true,
    ignoreHTTPSErrors: true,
  })
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  return { page, devtools }
}

async function goAlive(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.waitForFunction(() => document.documentElement.dataset.hydrated === 'true')
}

/** What had been asked for when the page was alive. */
async function firstLoad(browser: Browser, address: string): Promise<{ needed: number; fonts: number }> {
  const { page } = await openPage(browser)
  const kinds: string[] = []
  page.on('request', (request) => kinds.push(request.resourceType()))
  await goAlive(page, address)
  await page.context().close()
  const count = (...wanted: string[]) => kinds.filter((kind) => wanted.includes(kind)).length
  return { needed: count('document', 'stylesheet', 'script', 'fetch', 'xhr'), fonts: count('font') }
}

/** All bytes on the wire, in KB, of somebody who comes to Home, goes on to the Shop and to a product. */
async function firstVisit(
  browser: Browser,
  url: string,
  { savesData }: { savesData: boolean },
): Promise<number> {
  const { page, devtools } = await openPage(browser)
  if (savesData) {
    await devtools.send('Emulation.setDataSaverOverride', { dataSaverEnabled: true })
    await page.setExtraHTTPHeaders({ 'Save-Data': 'on' })
  }
  let bytes = 0
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await goAlive(page, url)
  await page.waitForLoadState('networkidle')
  for (const link of NEXT_LINKS) {
    // Through a link that is on the screen or in the menu: what counts is the way inside the app.
    await page
      .locator(link)
      .first()
      .evaluate((element: HTMLElement) => element.click())
    await page.waitForURL((address) => address.pathname !== '/' && !address.pathname.endsWith('undefined'))
    await page.waitForLoadState('networkidle')
  }
  await page.context().close()
  return bytes / BYTES_PER_KB
}

/** The middle time from a tap on a link to the next page's paint, in ms, when its code and data are there already. */
async function tapToPaint(browser: Browser, url: string, rounds: number): Promise<number> {
  const { page, devtools } = await openPage(browser)
  await goAlive(page, url)
  // Both pages have been visited, so that only the way between them is measured.
  await goInApp(page, '/products')
  await goInApp(page, '/')
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
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
