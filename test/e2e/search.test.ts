import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { shop } from '#shared/shop.ts'
import {
  blockRequests,
  DESKTOP_VIEWPORT,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  PHONE_VIEWPORT,
  scrollTo,
  visit,
  waitForHydration,
  withoutNavigationApi,
} from '#test/support/shopper.ts'
import { readStored } from '#test/support/signed-in-shopper.ts'
import items from '../../public/Items.json'

const searchField = (page: Page) => page.getByRole('searchbox', { name: 'Search the shop' })
const sortSelect = (page: Page) => page.getByRole('combobox', { name: 'Sort by' })
const status = (page: Page, text: string | RegExp) => page.getByRole('status').filter({ hasText: text })

journeys('the Shop’s search', () => {
  it('follows the typing without losing focus, combines with category and sort order, and goes back step by step', async () => {
    const visitor = await openShopper({ viewport: DESKTOP_VIEWPORT })
    const { page } = visitor
    const all = `${items.length} products`
    await visit(visitor, '/about')
    await page.getByRole('link', { name: 'Search' }).click()
    await status(page, all).waitFor()
    expect(await searchField(page).evaluate((input) => input === document.activeElement)).toBe(true)
    await searchField(page).pressSequentially('cott', { delay: 20 })
    await status(page, /for “cott”/).waitFor()
    await page.keyboard.type('on')
    await status(page, /^\d+ results? for “cotton”/).waitFor()
    expect(await searchField(page).inputValue()).toBe('cotton')
    expect(await searchField(page).evaluate((input) => input === document.activeElement)).toBe(true)
    expect(page.url()).toMatch(/\/products\?q=cotton$/)
    expect(await page.title()).toBe(`“cotton” · Shop · ${shop.name}`)

    // Typing must have added only one history entry.
    await page.goBack()
    await status(page, all).waitFor()
    await page.goBack()
    await page.waitForURL('**/about')
    await page.goForward()
    await page.goForward()
    await status(page, /for “cotton”/).waitFor()
    expect(await searchField(page).inputValue()).toBe('cotton')

    await page.getByRole('link', { name: 'Clothing', exact: true }).click()
    await status(page, /^Clothing: \d+ results for “cotton”$/).waitFor()
    // Selects a sort order while a search is pending on a busy main thread. The sort order must get its own history
    // entry.
    await page.evaluate(() => {
      const { requestAnimationFrame } = window
      window.requestAnimationFrame = (run) => {
        window.requestAnimationFrame = requestAnimationFrame
        return window.setTimeout(requestAnimationFrame, 400, run)
      }
      document.querySelector('[type=search]')?.dispatchEvent(new InputEvent('input', { bubbles: true }))
    })
    await sortSelect(page).selectOption('Lowest price')
    await status(page, /lowest price first$/).waitFor()
    expect(page.url()).toMatch(/\?category=Clothing&q=cotton&sort=price-asc$/)
    // Other mentions follow in a list of their own.
    for (const list of await page.locator('.grid').all()) {
      const prices = (await list.locator('b').allInnerTexts()).map((text) => Number(text.slice(4)))
      expect(prices.length).toBeGreaterThan(1)
      expect(prices).toEqual(prices.toSorted((a, b) => a - b))
    }
    await page.goBack()
    await status(page, /^Clothing: \d+ results for “cotton”$/).waitFor()
    expect(await sortSelect(page).inputValue()).toBe('')
    await page.goBack()
    await status(page, /^\d+ results for “cotton”$/).waitFor()

    // On the Shop, the Search link must keep the results. Going back may still restore its scroll position.
    await page.waitForFunction(() => !window.navigation.transition)
    await scrollTo(page, 400)
    await page.getByRole('link', { name: 'Search' }).click()
    await page.waitForFunction(() => document.activeElement?.matches('[type=search]'))
    expect([await searchField(page).inputValue(), new URL(page.url()).search]).toEqual([
      'cotton',
      '?q=cotton',
    ])
    await expect
      .poll(() => searchField(page).evaluate((input) => input.getBoundingClientRect().top))
      .toBeGreaterThan(70)
    expectNoConsoleErrors(visitor)
  })

  it('says that it found nothing, moves focus on Enter, and links to the category and to all products', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    // A sort order that is selected before hydration must apply.
    const sendScripts = await blockRequests(page, '**/assets/*.js')
    await page.goto('/products?category=Toys', { waitUntil: 'commit' })
    await sortSelect(page).selectOption('Lowest price')
    sendScripts()
    await status(page, /^Toys: \d+ products, lowest price first$/).waitFor()
    await page.goBack()
    await waitForHydration(page)
    await status(page, /^Toys: \d+ products$/).waitFor()
    expect(await sortSelect(page).inputValue()).toBe('')

    await searchField(page).pressSequentially('spaceship')
    await status(page, 'Toys: 0 results for “spaceship”').waitFor()
    await page.goBack()
    await status(page, /^Toys: \d+ products$/).waitFor()
    expect(await searchField(page).inputValue()).toBe('')
    await page.goForward()
    await page.getByRole('link', { name: 'Back to Toys' }).click()
    await status(page, /^Toys: \d+ products$/).waitFor()

    await searchField(page).fill('spaceship')
    await page.keyboard.press('Enter')
    await status(page, 'Toys: 0 results for “spaceship”').waitFor()
    const focused = await page.evaluate(() => {
      const { activeElement } = document
      return activeElement && { id: activeElement.id, outline: getComputedStyle(activeElement).outlineStyle }
    })
    expect(focused).toEqual({ id: 'products', outline: 'none' })
    await page.getByRole('heading', { name: 'No products found' }).waitFor()
    await page.getByRole('link', { name: 'All', exact: true }).click()
    await status(page, '0 results for “spaceship”').waitFor()
    await page.getByRole('link', { name: 'See all products' }).click()
    await status(page, `${items.length} products`).waitFor()
    await expect.poll(() => searchField(page).inputValue()).toBe('')
    expectNoConsoleErrors(visitor)
  })

  it('opens filters from anywhere in the list, counts matches, and removes one filter at a time', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    await visit(visitor, '/products')
    expect(await page.getByRole('link', { name: 'Top' }).count()).toBe(0)
    const topOfProducts = () =>
      page.locator('.grid').evaluate((grid) => grid.getBoundingClientRect().top / innerHeight)
    expect(await topOfProducts()).toBeLessThan(0.52)
    await page.setViewportSize({ width: 740, height: 360 })
    expect(await topOfProducts()).toBeLessThan(0.85)
    await page.setViewportSize(PHONE_VIEWPORT)
    await page.getByRole('link', { name: 'Search' }).click()
    const bottom = (selector: string) =>
      page.locator(selector).evaluate((element) => element.getBoundingClientRect().bottom)
    await expect.poll(() => bottom('h1')).toBeLessThan(await bottom('.bar'))
    await scrollTo(page, 2000)
    await page.getByRole('link', { name: 'Filters' }).click()
    const form = page.getByRole('form', { name: 'Filters' })
    await form.getByRole('button', { name: `Show ${items.length} products` }).waitFor()
    const [isFocused, outline] = await form.evaluate((element) => [
      element === document.activeElement,
      getComputedStyle(element).outlineStyle,
    ])
    expect([isFocused, outline], 'focused without a ring').toEqual([true, 'none'])
    const groups = () =>
      form.locator('optgroup').evaluateAll((all: HTMLOptGroupElement[]) => all.map(({ label }) => label))
    await form.getByLabel('Age or size').selectOption('EU 24')
    await form.getByLabel('For', { exact: true }).selectOption('Women')
    await form.getByRole('button', { name: 'Show 22 products' }).waitFor()
    expect(await groups()).toEqual(['Women', 'Women’s shoes'])
    await form.getByLabel('For', { exact: true }).selectOption('Everyone')
    await form.getByRole('button', { name: `Show ${items.length} products` }).waitFor()
    expect(await groups()).toHaveLength(5)
    await form.getByLabel('Age or size').selectOption('2–3 years')
    await form.getByRole('button', { name: 'Show 26 products' }).waitFor()
    await form.getByLabel('Price to, with VAT').fill('2320')
    await form.getByRole('button', { name: 'Show 17 products' }).click()
    await status(page, /^17 products$/).waitFor()
    expect(page.url()).toMatch(/\/products\?size=2-3-years&max=2320#products$/)
    await expect.poll(() => readStored(page, 'sizes')).toEqual({ age: '2–3 years', 'child-shoe': 'EU 24' })
    expect(await form.count()).toBe(0)
    const applied = page.getByRole('navigation', { name: 'Active filters' }).getByRole('link')
    expect(await applied.allInnerTexts()).toEqual([
      'Clear all',
      expect.stringContaining('2–3 years'),
      expect.stringContaining('Up to KSH 2,320 with VAT'),
    ])
    const edges = await applied.evaluateAll((links) =>
      links.map((link) => link.getBoundingClientRect().right),
    )
    expect(Math.max(...edges), 'inside the screen').toBeLessThan(PHONE_VIEWPORT.width)

    await searchField(page).fill('tee')
    await status(page, /^1 result for “tee”$/).waitFor()
    await page.getByRole('link', { name: 'Toys', exact: true }).click()
    await status(page, /^Toys: 0 results for “tee”$/).waitFor()
    await page.getByRole('link', { name: '1 in Clothing' }).click()
    await status(page, /^Clothing: 1 result for “tee”$/).waitFor()
    await page.getByRole('link', { name: /^Remove Up to KSH 2,320/ }).click()
    await page.waitForURL('**/products?category=Clothing&q=tee&size=2-3-years')
    await page.getByRole('link', { name: /^Remove 2–3 years/ }).click()
    await page.waitForURL('**/products?category=Clothing&q=tee')
    await page.getByRole('navigation', { name: 'Active filters' }).waitFor({ state: 'detached' })
    // Applying the filters must have replaced the form's history entry.
    await page.evaluate(() => history.go(-5))
    await status(page, /^17 products$/).waitFor()
    await page.goBack()
    await status(page, `${items.length} products`).waitFor()

    await scrollTo(page, 2000)
    await page.getByLabel('Sort by').selectOption('Lowest price')
    await status(page, `${items.length} products, lowest price first`).waitFor()
    await page.waitForFunction(() => scrollY < 400)
    await page.goBack()
    await status(page, `${items.length} products`).waitFor()
    await scrollTo(page, 2000)
    await page.getByRole('link', { name: 'Top' }).click()
    await page.waitForFunction(() => scrollY === 0)
    await page.getByRole('link', { name: 'Women', exact: true }).click()
    await status(page, /^22 products for women$/).waitFor()
    await page.getByRole('link', { name: 'Kids', exact: true }).click()
    await page.waitForURL('**/products?for=Kids')
    await page.waitForFunction(() => document.title.startsWith('Kids · Shop · '))
    await page.getByRole('link', { name: 'Filters (1)' }).waitFor()
    await page.getByRole('link', { name: 'Remove Kids' }).click()
    await status(page, `${items.length} products`).waitFor()

    await visit(visitor, '/product/39')
    await page.getByText('Size: 2–3 years (chosen earlier)').waitFor()

    await visit(visitor, '/products?for=Women')
    await page.evaluate(() => {
      const main = document.querySelector('main')
      const observer = new MutationObserver(() => {
        if (!main?.innerText.includes('Toys: 0 products')) return
        observer.disconnect()
        main.dataset.textWithCount = main.innerText
      })
      observer.observe(document.body, { childList: true, subtree: true, characterData: true })
    })
    await page.getByRole('link', { name: 'Toys', exact: true }).click()
    const main = page.locator('main[data-text-with-count]')
    expect(await main.getAttribute('data-text-with-count')).toContain('No products found')
    expectNoConsoleErrors(visitor)
  })

  it('selects the size that a shared link or a search names on the product page and in the cart, without remembering it', async () => {
    const visitor = await openShopper({ localStorage: { sizes: '{"age":"0–3 months"}' } })
    const { page } = visitor
    const buy = page.locator('a[href="/product/30"]')
    const card = page.locator('.grid > li', { has: buy })
    await visit(visitor, '/products?size=4-5-years')
    await card.getByRole('button', { name: 'Add to Cart' }).click()
    await page.getByRole('link', { name: 'Cart 1 item' }).waitFor()
    expect(await readStored(page, 'cart')).toMatchObject([{ size: '4–5 years' }])
    expect(await readStored(page, 'cart')).not.toHaveProperty('0.isSizeAssumed')
    await visit(visitor, '/products?q=jacket+2-3+years')
    await page.getByRole('heading', { name: 'You may also like' }).waitFor()
    await card.getByRole('link', { name: 'Buy Now' }).click()
    await page.getByRole('group', { name: 'Size: 2–3 years (from your search)' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/product/30')
    expect(await readStored(page, 'sizes')).toEqual({ age: '0–3 months' })
    await page.goBack()
    await searchField(page).fill('jacket 4 years')
    await status(page, 'for “jacket 4 years”').waitFor()
    await card.getByRole('link', { name: 'Buy Now' }).click()
    await page.getByRole('group', { name: 'Size: 4–5 years (from your search)' }).waitFor()
    expect(await readStored(page, 'sizes')).toEqual({ age: '0–3 months' })

    // Several sizes of these shoes fit the age, so the card's size is only assumed on the product page too.
    await visit(visitor, '/products?size=6-7-years&category=Footwear')
    await page.locator('a[href="/product/29"]').click()
    await page.getByText('Adds size EU 30').waitFor()
    await page.getByRole('button', { name: 'Add to Cart' }).first().click()
    await page.getByRole('link', { name: 'Cart 2 items' }).waitFor()
    expect(await readStored(page, 'cart')).toMatchObject([{}, { size: 'EU 30', isSizeAssumed: true }])
    expectNoConsoleErrors(visitor)
  })

  it('returns to the same place in the list when the filters close without a change', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    await visit(visitor, '/products')
    await scrollTo(page, 2000)
    await page.getByRole('link', { name: 'Filters', exact: true }).click()
    await page.getByRole('form', { name: 'Filters' }).waitFor()
    await page.waitForFunction(() => scrollY < 400)
    await page.getByRole('link', { name: 'Close filters' }).click()
    await page.getByRole('form', { name: 'Filters' }).waitFor({ state: 'detached' })
    await page.waitForFunction(() => Math.abs(scrollY - 2000) < 2)
    expect(page.url()).toMatch(/\/products$/)
    expectNoConsoleErrors(visitor)
  })

  it('keeps an unapplied filter when the category or query changes, and discards it when the filters close', async () => {
    const visitor = await openShopper({ viewport: DESKTOP_VIEWPORT })
    const { page } = visitor
    await visit(visitor, '/products?filters=open')
    const form = page.getByRole('form', { name: 'Filters' })
    await form.getByLabel('Age or size').selectOption('EU 24')
    await page.getByRole('link', { name: 'Footwear', exact: true }).click()
    await page.waitForURL('**/products?category=Footwear&size=eu-24')
    await page.getByRole('link', { name: /^Remove EU 24/ }).waitFor()

    await page.getByRole('link', { name: 'Filters (1)' }).click()
    await form.getByLabel('Age or size').selectOption('Any')
    expect(await page.evaluate(() => scrollY), 'the heading stays in view').toBe(0)
    await form.getByLabel('Price to, with VAT').fill('3000')
    await searchField(page).fill('sandals')
    await page.waitForURL('**/products?category=Footwear&q=sandals&max=3000')
    await page.getByRole('link', { name: 'Filters (1)' }).click()
    await form.getByLabel('Price to, with VAT').fill('1')
    await page.getByRole('link', { name: 'Close filters' }).click()
    await page.waitForURL('**/products?category=Footwear&q=sandals&max=3000')
    expectNoConsoleErrors(visitor)
  })

  it('finds and filters products without JavaScript', async () => {
    const { page } = await openShopper({ javaScriptEnabled: false })
    await page.goto('/contact')
    await page.getByRole('link', { name: 'Search' }).click()
    await page.waitForURL('**/products#q')
    await page.keyboard.type('dress')
    await page.keyboard.press('Enter')
    await status(page, /for “dress”/).waitFor()
    await page.goto('/products?category=Clothing&q=dress')
    await page.getByRole('link', { name: 'Filters' }).click()
    await page.getByLabel('Age or size').selectOption('2–3 years')
    await page.getByLabel('Availability').selectOption('In stock')
    await page.getByRole('button', { name: 'Show products' }).click()
    await status(page, 'Clothing: 1 result for “dress”').waitFor()
    await page.getByRole('link', { name: /^Remove In stock/ }).click()
    await page.waitForURL('**/products?category=Clothing&q=dress&size=2-3-years')
  })

  it('loads no document while typing or offline, in browsers without the Navigation API', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    await withoutNavigationApi(page)
    await page.clock.install()
    await visit(visitor, '/products?category=Toys')
    await searchField(page).pressSequentially('woo')
    await page.clock.runFor(1000)
    await searchField(page).pressSequentially('den')
    expect(new URL(page.url()).search).toBe('?category=Toys')
    await page.context().setOffline(true)
    await page.keyboard.press('Enter')
    await status(page, 'will open when you reconnect').waitFor()
    await page.context().setOffline(false)
    await status(page, /^Toys: \d+ results? for “wooden”$/).waitFor()
    await waitForHydration(page)
    await page.context().setOffline(true)
    await sortSelect(page).selectOption('Lowest price')
    await status(page, 'will open when you reconnect').waitFor()
    await page.context().setOffline(false)
    await page.waitForURL('**/products?category=Toys&q=wooden&sort=price-asc')
    // After Back, the fields must match the URL.
    await page.goBack()
    await waitForHydration(page)
    expect(await sortSelect(page).inputValue()).toBe('')
    await page.clock.runFor(1000)
    expect(new URL(page.url()).searchParams.get('sort')).toBe('')
  })
})
