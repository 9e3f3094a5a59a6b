import type {
  APIRequestContext,
  APIResponse,
  Browser,
  BrowserContext,
  BrowserContextOptions,
  CDPSession,
  Disposable,
  Locator,
  Page,
  Route,
} from 'playwright-core'
import { afterEach, describe, expect, inject } from 'vitest'
import { launchChromium } from '#tools/chromium.ts'

export const PHONE_VIEWPORT = { width: 360, height: 740 }
export const DESKTOP_VIEWPORT = { width: 1280, height: 800 }

const shopUrl = inject('shopUrl') ?? ''
const VIOLATION_PREFIX = 'The policy was violated:'
let violations: string[] = []

export type Shopper = {
  page: Page
  /** Includes React warnings, uncaught errors and policy violations. */
  consoleErrors: string[]
}

export type ShopperOptions = {
  viewport?: { width: number; height: number }
  /** The default is reduced motion, which needs less rendering work. */
  reducedMotion?: 'reduce' | 'no-preference'
  extraHTTPHeaders?: Record<string, string>
  javaScriptEnabled?: boolean
  cookies?: Parameters<BrowserContext['addCookies']>[0]
  localStorage?: Record<string, string>
  origin?: string
  /** Opens a separate browser profile, because the shared one can't change options such as touch. */
  profile?: BrowserContextOptions
}

/** The tests are skipped if Chromium is not installed. */
export function journeys(name: string, define: () => void): void {
  describe.skipIf(!shopUrl)(name, () => {
    afterEach(async ({ task }) => {
      if (task.result?.state === 'fail') await reportPages()
      await closeVisits()
      expect(takeViolations(), 'violations of the policy').toEqual([])
    })
    define()
  })
}

/** Prints what all pages show, because a failure may not be reproducible. */
async function reportPages(): Promise<void> {
  const pages = (await browser)?.contexts().flatMap((context) => context.pages()) ?? []
  for (const page of pages) {
    const text = await page.locator('body').innerText({ timeout: 1000 }).catch(String)
    console.log(`${page.url()} shows:\n${text.slice(0, 1000)}`)
  }
}

/** Violations that no test takes fail the test, so a test that causes them on purpose must take them. */
export function takeViolations(): string[] {
  const takenViolations = violations
  violations = []
  return takenViolations
}

/** Returns a random `CF-Connecting-IP`, which the local shop trusts, so that shoppers don't share rate limits. */
export function newIpAddress(): string {
  const part = () => Math.floor(Math.random() * 256)
  return `10.${part()}.${part()}.${part()}`
}

type Profile = {
  context: BrowserContext
  page: Page
  devtools: CDPSession
  consoleErrors: string[]
  initScripts: Disposable[]
}

let browser: Promise<Browser> | undefined
/** All tests of a worker share this profile, because a new profile and page are slow to open. */
let shared: Profile | undefined
let isSharedTaken = false

/**
 * Returns a new visitor without data from earlier ones. A second visitor in the same test gets a separate profile.
 */
export async function openShopper(options: ShopperOptions = {}): Promise<Shopper> {
  const headers = { 'CF-Connecting-IP': newIpAddress(), ...options.extraHTTPHeaders }
  const isShared = !options.profile && !isSharedTaken
  if (isShared) isSharedTaken = true
  const profile = (isShared && shared) || (await newProfile(options.profile))
  if (isShared) shared = profile
  const { context, page, devtools, consoleErrors } = profile
  await context.setExtraHTTPHeaders(headers)
  await page.setViewportSize(options.viewport ?? PHONE_VIEWPORT)
  await page.emulateMedia({ reducedMotion: options.reducedMotion ?? 'reduce', media: null })
  if (options.cookies) await context.addCookies(options.cookies)
  if (options.localStorage) {
    const blank = new URL(BLANK_PATH, options.origin ?? shopUrl).href
    if (page.url() !== blank) await page.goto(blank)
    await page.evaluate((texts) => Object.assign(localStorage, texts), options.localStorage)
  }
  await devtools.send('Page.resetNavigationHistory')
  if (options.javaScriptEnabled === false)
    await devtools.send('Emulation.setScriptExecutionDisabled', { value: true })
  origins.set(context, options.origin ?? shopUrl)
  return { page, consoleErrors }
}

// workerd closes idle connections, and Playwright fails a request that reuses one at that moment.
const ON_NEW_CONNECTION = { Connection: 'close' }

/**
 * Requests a URL with the page's cookies. Like a browser, repeats a GET request whose connection workerd closed without a
 * response.
 */
export function fetchAsPage(
  page: Page,
  url: string,
  options: Parameters<APIRequestContext['fetch']>[1] = {},
): Promise<APIResponse> {
  const maxRetries = options.method ? 0 : 2
  return page.request.fetch(url, { maxRetries, ...options, headers: ON_NEW_CONNECTION })
}

export function fetchRoute(route: Route): Promise<APIResponse> {
  return route.fetch({ headers: { ...route.request().headers(), ...ON_NEW_CONNECTION } })
}

/** The shop and the office both serve this document, which contains no scripts. */
const BLANK_PATH = '/favicon.svg'
const origins = new WeakMap<BrowserContext, string>()

/**
 * These flags disable GPU emulation, rasterisation memory, optimising compilation and the threads of the garbage
 * collector, because tests read the DOM, not pixels.
 */
const BROWSER_FLAGS = [
  '--js-flags=--no-maglev --no-turbofan --single-threaded-gc --min-semi-space-size=16',
  '--disable-software-rasterizer',
  '--force-gpu-mem-available-mb=0',
]

async function newProfile(options: BrowserContextOptions = {}): Promise<Profile> {
  browser ??= launchChromium({ ...inject('journeyBrowser'), args: BROWSER_FLAGS })
  const context = await (await browser).newContext({
    baseURL: shopUrl,
    timezoneId: 'Africa/Nairobi',
    locale: 'en-KE',
    // Service workers are blocked, because they would add requests to those that a test counts or mocks. They have
    // their own tests.
    serviceWorkers: 'block',
    ...options,
  })
  context.setDefaultTimeout(20_000)
  const profile = { consoleErrors: [] as string[], initScripts: [] as Disposable[] }
  context.on('console', (message) => {
    const text = message.text()
    const isOwn = text === 'Service Worker registration blocked by Playwright'
    if (['error', 'warning'].includes(message.type()) && !isOwn) profile.consoleErrors.push(text)
    if (text.startsWith(VIOLATION_PREFIX)) violations.push(text)
  })
  context.on('weberror', (error) => profile.consoleErrors.push(error.error().message))
  await context.addInitScript(
    (violation) =>
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        console.error(`${violation} ${violatedDirective} by ${blockedURI}`),
      ),
    VIOLATION_PREFIX,
  )
  const page = await context.newPage()
  const waitForFunction = page.waitForFunction.bind(page) as (...args: unknown[]) => Promise<never>
  // By default, Playwright polls on every frame, which costs CPU time.
  page.waitForFunction = (predicate: unknown, arg?: unknown, options?: object) =>
    waitForFunction(predicate, arg, { polling: 50, ...options })
  const addInitScript = page.addInitScript.bind(page)
  // A script that one test adds must not run in the next.
  page.addInitScript = async (...script: Parameters<typeof addInitScript>) => {
    const added = await addInitScript(...script)
    profile.initScripts.push(added)
    return added
  }
  return Object.assign(profile, { context, page, devtools: await context.newCDPSession(page) })
}

async function closeVisits(): Promise<void> {
  if (!browser) return
  const contexts = (await browser).contexts()
  await Promise.all(
    contexts.filter((context) => context !== shared?.context).map((context) => context.close()),
  )
  if (!isSharedTaken) return
  isSharedTaken = false
  try {
    if (shared) await resetProfile(shared)
  } catch {
    await shared?.context.close()
    shared = undefined
  }
}

async function resetProfile(profile: Profile): Promise<void> {
  const { context, page, devtools, initScripts } = profile
  await Promise.all(context.pages().map((other) => other !== page && other.close()))
  await Promise.all(initScripts.splice(0).map((script) => script.dispose()))
  await context.setOffline(false)
  await context.unrouteAll({ behavior: 'ignoreErrors' })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  for (const event of ['request', 'response', 'console', 'dialog', 'pageerror'] as const)
    page.removeAllListeners(event)
  await devtools.send('Emulation.setScriptExecutionDisabled', { value: false })
  const origin = origins.get(context) ?? shopUrl
  await page.goto(new URL(BLANK_PATH, origin).href)
  const hasFakeClock = await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
    return '__pwClock' in window
  })
  if (hasFakeClock)
    throw new Error("Playwright can't uninstall its fake clock. Give this test its own profile.")
  // A test's own shop may stop before the browser requests the document's icon. The next test would then log an
  // error.
  if (origin !== shopUrl) await page.goto(BLANK_PATH)
  await context.clearCookies()
  profile.consoleErrors = []
}

export async function visit({ page }: Shopper, path: string): Promise<void> {
  await page.goto(new URL(path, origins.get(page.context())).href)
  await waitForHydration(page)
}

/** Waits until the page is hydrated and its links open pages inside the app. */
export async function waitForHydration(page: Page): Promise<void> {
  await waitUntilTrue(page, () => document.documentElement.dataset.routed === 'true')
}

/**
 * Waits until a condition is true in the page. Unlike `waitForFunction` and locators, it doesn't send Playwright's
 * large script to each document.
 */
export async function waitUntilTrue(page: Page, isTrue: () => boolean): Promise<void> {
  await expect.poll(() => page.evaluate(isTrue)).toBe(true)
}

export async function waitForPartHydration(part: Locator): Promise<void> {
  const isHydrated = () =>
    part.evaluate((element) => Object.keys(element).some((key) => key.startsWith('__reactProps')))
  await expect.poll(isHydrated).toBe(true)
}

/** Asserts that an action shows a text, even if the page removes it before the next frame. */
export async function expectBriefText(
  page: Page,
  text: string,
  action: () => Promise<unknown>,
  selector = 'body',
) {
  const isShown = page.evaluate(
    ([words, where]) =>
      new Promise<void>((resolve) => {
        const check = () => {
          const elements = Array.from(document.querySelectorAll(where))
          if (!elements.some(({ textContent }) => textContent?.includes(words))) return
          observer.disconnect()
          resolve()
        }
        const observer = new MutationObserver(check)
        observer.observe(document, { childList: true, subtree: true, characterData: true })
        check()
      }),
    [text, selector] as const,
  )
  await Promise.all([isShown, action()])
}

/** Removes the Navigation API from all later documents, so that links load documents. */
export async function withoutNavigationApi(page: Page): Promise<void> {
  await page.addInitScript(() => Reflect.deleteProperty(window, 'NavigateEvent'))
}

export async function blockRequests(page: Page, url: string | RegExp): Promise<() => void> {
  const unblocked = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    await unblocked.promise
    // The page may have closed in the meantime.
    await route.continue().catch(() => {})
  })
  return unblocked.resolve
}

export async function scrollTo(page: Page, top: number): Promise<void> {
  await page.evaluate((to) => window.scrollTo({ top: to, behavior: 'instant' }), top)
  await expect.poll(() => page.evaluate((to) => Math.abs(scrollY - to) < 2, top)).toBe(true)
}

export function expectNoConsoleErrors({ consoleErrors }: Shopper): void {
  expect(consoleErrors).toEqual([])
}
