import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { DESKTOP, expectNoComplaints, hydrated, journeys, shopper, visit } from '#test/support/shopper.ts'
import { newAccount } from '#test/support/signed-in-shopper.ts'
import { launchChromium } from '#tools/chromium.ts'

/** A page of its own, one with the catalogue's data, one with a form; the build's sizes are held for all. */
const PAGES = ['/', '/products', '/login']

journeys('a first load', () => {
  it.each(PAGES)(
    'of %s asks for the page, its style and at most three scripts, and never for the catalogue',
    async (path) => {
      const visitor = await shopper()
      const kinds: string[] = []
      visitor.page.on('request', (request) => {
        // Follow once the page is usable; one visit in ten reports its speed.
        if (!/\/(after-hydration|toasts|start-offline|visit-report)-/.test(request.url()))
          kinds.push(request.resourceType())
      })
      await visit(visitor, path)
      const others = ['image', 'font', 'manifest', 'other']
      const needed = kinds.filter((kind) => !others.includes(kind))
      expect(needed.filter((kind) => kind !== 'script').sort()).toEqual(['document', 'stylesheet'])
      expect(needed.length, needed.join(', ')).toBeLessThanOrEqual(5)
      expectNoComplaints(visitor)
    },
  )
})

journeys('a visit', () => {
  const sampled = () => {
    Math.random = () => 0
  }

  it('reports how fast its first page was when it is left, once and without cookies', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await page.addInitScript(sampled)
    const loaded = page.waitForResponse(/\/visit-report-/)
    await visit(visitor, '/about')
    await (await loaded).finished()
    await page.getByRole('link', { name: 'Contact', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: /contact/i }).waitFor()
    const reports: { headers: Record<string, string>; body: Record<string, unknown> }[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/api/visits'))
        reports.push({ headers: request.headers(), body: request.postDataJSON() })
    })
    const answered = page.waitForResponse('**/api/visits')
    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
      for (let times = 0; times < 2; times++) document.dispatchEvent(new Event('visibilitychange'))
    })
    expect((await answered).status()).toBe(204)
    expect(reports).toMatchObject([
      { body: { page: 'about', lcp: expect.any(Number), hydration: expect.any(Number) } },
    ])
    expect(reports[0]?.headers.cookie).toBeUndefined()
    expectNoComplaints(visitor)
  })

  it.each([
    ['saves data', () => Object.defineProperty(navigator, 'connection', { value: { saveData: true } })],
    ['asks not to be tracked', () => Object.defineProperty(navigator, 'doNotTrack', { value: '1' })],
  ])('of a browser that %s reports nothing', async (_what, init) => {
    const visitor = await shopper()
    const { page } = visitor
    const fetched: string[] = []
    page.on('request', (request) => fetched.push(request.url()))
    await page.addInitScript(sampled)
    await page.addInitScript(init)
    await visit(visitor, '/about')
    await page.waitForLoadState('networkidle')
    expect(fetched.filter((url) => url.includes('visit-report'))).toEqual([])
  })
})

journeys('the catalogue', () => {
  it('is read once for all pages of a visit', async () => {
    const visitor = await shopper({ viewport: { width: 1280, height: 800 } })
    const { page } = visitor
    let reads = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/Items.json')) reads++
    })
    await visit(visitor, '/')
    const bar = page.getByRole('navigation', { name: 'Main' })
    for (const round of [1, 2]) {
      await bar.getByRole('link', { name: 'Shop' }).click()
      await page.getByRole('heading', { name: 'Shop our collection' }).waitFor()
      await page.getByRole('link', { name: 'Buy Now' }).nth(round).click()
      await page.getByRole('button', { name: 'Add to Cart' }).first().waitFor()
      await bar.getByRole('link', { name: 'Home' }).click()
      await page.getByRole('heading', { level: 1 }).waitFor()
    }
    expect(reads).toBe(1)
    expectNoComplaints(visitor)
  })

  it('is asked for again only with its tag, on the next visit', async () => {
    const { page } = await shopper()
    const { headers, tag } = await page.request
      .get('/Items.json')
      .then((answer) => ({ headers: answer.headers(), tag: answer.headers().etag ?? '' }))
    expect(headers['cache-control']).toBe('no-cache')
    const again = await page.request.get('/Items.json', { headers: { 'If-None-Match': tag } })
    expect(again.status()).toBe(304)
  })
})

journeys('back and forward', () => {
  let browser: Browser
  beforeAll(async () => {
    // Playwright starts browsers without the back/forward cache.
    browser = await launchChromium({ ignoreDefaultArgs: ['--disable-back-forward-cache'] })
  })
  afterAll(() => browser.close())

  it('bring a page back from the browser’s memory, as it was', async () => {
    const page = await browser.newPage({ baseURL: inject('shopUrl') ?? '' })
    for (const path of ['/', '/products', '/product/1', '/contact']) {
      await page.goto(path)
      await hydrated(page)
      await page.evaluate(() => {
        addEventListener('pageshow', ({ persisted }) => {
          document.documentElement.dataset.persisted = String(persisted)
        })
      })
      await page.goto('/robots.txt')
      await page.evaluate(() => history.back())
      await page.waitForFunction(() => document.documentElement.dataset.persisted !== undefined)
      expect(await page.evaluate(() => document.documentElement.dataset.persisted), path).toBe('true')
    }
  })

  it('show nobody any more once the session was ended on this device', async () => {
    const page = await browser.newPage({ baseURL: inject('shopUrl') ?? '' })
    const { email, cookie } = await newAccount()
    const [name = '', value = ''] = cookie.split(/=(.*)/)
    await page.context().addCookies([{ name, value, url: inject('shopUrl') ?? '' }])
    await page.goto('/dashboard')
    await hydrated(page)
    await page.getByRole('heading', { name: `Welcome, ${email}` }).waitFor()
    await page.evaluate((shown) => {
      addEventListener('pageshow', ({ persisted }) => {
        // What is painted from now on.
        requestAnimationFrame(() => {
          const isNamed = document.body.textContent?.includes(shown)
          document.documentElement.dataset.restored = `${persisted ? 'from memory' : 'anew'}, ${isNamed ? 'named' : 'nameless'}`
        })
      })
    }, email)
    await page.goto('/contact')
    await hydrated(page)
    await page.getByRole('banner').getByRole('button', { name: 'Logout' }).click()
    await page.getByRole('link', { name: 'Register' }).first().waitFor()
    await page.waitForURL((url) => url.pathname === '/')
    await page.evaluate(() => history.go(-2))
    await page.waitForFunction(() => document.documentElement.dataset.restored !== undefined)
    expect(await page.evaluate(() => document.documentElement.dataset.restored)).toBe('from memory, nameless')
    await page.waitForFunction(() => location.pathname === '/login')
  })

  it('inside the app ask for nothing', async () => {
    const visitor = await shopper({ viewport: { width: 1280, height: 800 } })
    const { page } = visitor
    await visit(visitor, '/products')
    await page.getByRole('link', { name: 'Buy Now' }).nth(20).click()
    // The last that the way there fetches is what moves the row of related products.
    await page.getByRole('button', { name: 'Pause the moving products' }).waitFor()
    const requests: string[] = []
    page.on('request', (request) => {
      // Pictures may have left the browser's memory; the tab's icon is the browser's own affair.
      if (!/\.svg$/.test(request.url())) requests.push(request.url())
    })
    await page.goBack()
    await page.getByRole('heading', { name: 'Shop our collection' }).waitFor()
    await page.waitForFunction(() => scrollY > 300)
    expect(requests).toEqual([])
    expectNoComplaints(visitor)
  })
})
