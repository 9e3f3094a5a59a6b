import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { listViolations } from '#test/support/axe.ts'
import { listSmallTargets } from '#test/support/page-checks.ts'
import {
  DESKTOP_VIEWPORT,
  expectBriefText,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  visit,
} from '#test/support/shopper.ts'
import {
  fillForm,
  openSignedInShopper,
  readStored,
  storedLine,
  submitButton,
} from '#test/support/signed-in-shopper.ts'

const sizeRadio = (page: Page, name: string) => page.getByRole('radio', { name, exact: true })
const cartLine = (page: Page, n: number) => page.locator('.cart-line').nth(n)
const cardOf = (page: Page, title: string) =>
  page.locator('.grid > li', { has: page.getByAltText(title) }).first()
const getPath = (page: Page) => new URL(page.url()).pathname
const follow = (page: Page, path: string) =>
  page.evaluate((to) => document.querySelector<HTMLElement>(`a[href="${to}"]`)?.click(), path)

async function readSizesInCart(page: Page) {
  const cart = (await readStored(page, 'cart')) as {
    id: number
    size?: string
    isSizeAssumed?: true
    qty: number
  }[]
  return cart.map(({ id, size, isSizeAssumed, qty }) => [id, size, isSizeAssumed ? 'assumed' : 'chosen', qty])
}

journeys('a size', () => {
  it('is selected on the product page, kept in the URL and, once added to the cart, remembered for its scale', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    await visit(visitor, '/product/30')
    expect(await page.getByRole('radio', { checked: true }).count()).toBe(0)
    const entries = await page.evaluate(() => history.length)
    await expectBriefText(page, 'Size 6–7 years: KSH 4650', () =>
      sizeRadio(page, '6–7 years KSH 4650').check(),
    )
    expect(await page.locator('.product__price').innerText()).toBe('KSH 4650')
    await page.keyboard.press('ArrowLeft')
    expect(await sizeRadio(page, '4–5 years').evaluate((radio) => radio === document.activeElement)).toBe(
      true,
    )
    const path = getPath(page)
    expect(path).toMatch(/^\/product\/1\d\d$/)
    expect(await page.evaluate(() => history.length)).toBe(entries)
    expect(await listViolations(page)).toEqual([])

    await page.getByRole('link', { name: 'Size guide' }).click()
    const guide = page.getByRole('dialog', { name: 'Children’s clothes' })
    await guide.getByRole('cell', { name: '104–116' }).waitFor()
    expect(await listViolations(page), 'on a phone').toEqual([])
    await page.setViewportSize(DESKTOP_VIEWPORT)
    expect(await listViolations(page), 'on a desktop').toEqual([])
    await page.keyboard.press('Escape')
    await guide.waitFor({ state: 'detached' })
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Size guide')

    await follow(page, '/about')
    await page.getByRole('heading', { level: 1, name: 'Crafting' }).waitFor()
    await page.goBack()
    await sizeRadio(page, '4–5 years').waitFor()
    expect([getPath(page), await sizeRadio(page, '4–5 years').isChecked()]).toEqual([path, true])

    await follow(page, '/about')
    await page.getByRole('heading', { level: 1, name: 'Crafting' }).waitFor()
    await page.evaluate(() => window.navigation.navigate('/product/3').finished)
    await expectBriefText(page, 'Size 2–3 years: KSH 2650', () => sizeRadio(page, '2–3 years').check())
    expect(getPath(page)).toBe('/product/3')
    await page.evaluate(() => window.navigation.navigate('/product/30').finished)
    await page.getByRole('group', { name: /^Size: 4–5 years$/ }).waitFor()
    expect(await readStored(page, 'sizes'), 'of products that were only viewed').toBeNull()
    await page.locator('.product__detail').getByRole('button', { name: 'Add to Cart' }).click()
    await expect.poll(() => readStored(page, 'sizes')).toEqual({ age: '4–5 years' })
    expect(await page.getByText('Your cart also has size').count(), 'without an assumed size').toBe(0)
    await page.evaluate(() => window.navigation.navigate('/product/3').finished)
    await page.getByRole('group', { name: /^Size: 2–3 years$/ }).waitFor()
    await visit(visitor, '/product/3')
    await page.getByRole('group', { name: /^Size: 2–3 years$/ }).waitFor()
    await visit(visitor, '/product/48')
    await page.getByRole('group', { name: 'Size: 4–5 years (chosen earlier)' }).waitFor()
    expectNoConsoleErrors(visitor)
  })

  it('that is the first one and sold out can be chosen and left again', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    await visit(visitor, '/product/47')
    for (let round = 0; round < 2; round++) {
      await page.getByRole('radio', { name: /^EU 36/ }).check()
      await page.getByRole('button', { name: 'Email me when it’s back' }).waitFor()
      await page
        .getByRole('radio', { name: /^EU 37/ })
        .first()
        .check()
      await page.getByRole('button', { name: 'Add to Cart' }).first().waitFor()
    }
    expect(await page.locator('.sizes').count()).toBe(1)
    expectNoConsoleErrors(visitor)
  })

  it('is visible beside “Size” and next to the Add button, which also names the size it assumes', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    const add = page.getByRole('button', { name: 'Add to Cart' }).first()
    const description = () =>
      add.evaluate(({ ariaDescribedByElements }) => ariaDescribedByElements?.[0]?.textContent)
    await visit(visitor, '/product/30')
    expect(await description()).toBe('Adds size 12–18 months')
    const assumed = await page
      .locator('.sizes .chip')
      .evaluateAll((chips) =>
        chips.map((chip) => [
          getComputedStyle(chip).borderStyle,
          chip.querySelector('input')?.ariaDescribedByElements?.[0]?.textContent,
        ]),
      )
    expect(assumed[0], 'the assumed size').toEqual(['dashed', 'Adds size 12–18 months'])
    expect(assumed.slice(1)).toEqual(assumed.slice(1).map(() => ['solid', undefined]))
    await page.evaluate(() => localStorage.setItem('sizes', '{"age":"2–3 years"}'))
    await visit(visitor, '/product/30')
    await page.getByRole('group', { name: 'Size: 2–3 years (chosen earlier)' }).waitFor()
    await page.evaluate(() => localStorage.setItem('sizes', '{"age":"4–5 years"}'))
    await visit(visitor, '/product/3')
    await expect.poll(description).toBe('Size: 4–5 years')
    await page.getByRole('group', { name: 'Size: 4–5 years (chosen earlier)' }).waitFor()
    expect(await listViolations(page)).toEqual([])
    const bar = await page.locator('.product__actions').getByText('Size: 4–5 years').boundingBox()
    expect(bar?.y, 'on the first screen').toBeLessThan(740)
    const actions = await page.locator('.product__actions').boundingBox()
    const lastSize = await page.locator('.sizes .chip').last().boundingBox()
    expect((lastSize?.y ?? Infinity) + (lastSize?.height ?? 0), 'all sizes above the bar').toBeLessThan(
      actions?.y ?? 0,
    )
    await page.evaluate(() => localStorage.setItem('sizes', '{"age":"6–7 years"}'))
    await visit(visitor, '/product/12')
    await page.getByRole('group', { name: 'Size: not made in 6–7 years' }).waitFor()
    expect(await description()).toBe('Adds size 4–5 years')
    // A size selected on the children's scale must not apply to a women's scale.
    await visit(visitor, '/product/2')
    expect(await description()).toBe('Adds size S')
    const text = page.locator('.product__size')
    for (const viewport of [DESKTOP_VIEWPORT, { width: 740, height: 360 }]) {
      await page.setViewportSize(viewport)
      expect(await text.innerText()).toBe('Adds size S')
      const sizes = await page.locator('.sizes__options').boundingBox()
      expect((sizes?.y ?? Infinity) + (sizes?.height ?? 0), 'the sizes’ end').toBeLessThan(viewport.height)
    }
    await sizeRadio(page, 'M').check()
    await expect.poll(() => text.innerText()).toBe('Size: M')
    await page.setViewportSize(DESKTOP_VIEWPORT)
    expect(await text.innerText(), 'not repeated below the sizes').toBe('')
    await page.getByRole('button', { name: 'Add to Cart' }).first().click()
    await expect.poll(() => text.innerText()).toBe('1\u00a0in\u00a0cart')
    expectNoConsoleErrors(visitor)
  })

  it('is highlighted in the size guide, whose rows select sizes', async () => {
    const visitor = await openShopper({ localStorage: { sizes: '{"age":"4–5 years"}' } })
    const { page } = visitor
    await visit(visitor, '/product/30')
    await page.getByRole('group', { name: 'Size: 4–5 years' }).waitFor()
    await page.getByRole('link', { name: 'Size guide' }).click()
    const guide = page.getByRole('dialog', { name: 'Children’s clothes' })
    expect(await guide.locator('tr[aria-current]').innerText()).toMatch(/^4–5 years/)
    await guide.getByRole('button', { name: '4–5 years', pressed: true }).waitFor()
    // The jacket doesn't come in this size.
    expect(await guide.getByRole('button', { name: '0–3 months' }).count()).toBe(0)
    expect(await listViolations(page)).toEqual([])
    expect(await listSmallTargets(page)).toEqual([])
    const labels = await guide.locator('tbody th').evaluateAll((cells) =>
      cells.map((cell) => {
        const range = new Range()
        range.selectNodeContents(cell)
        return range.getBoundingClientRect().height
      }),
    )
    expect(labels.length).toBeGreaterThan(8)
    expect(Math.max(...labels), 'each size is on one line').toBeLessThan(46)
    await expectBriefText(page, 'Size 2–3 years: KSH 4350', () =>
      guide.getByRole('row', { name: '92–104' }).click(),
    )
    await guide.waitFor({ state: 'detached' })
    expect(await sizeRadio(page, '2–3 years').isChecked()).toBe(true)
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Size guide')
    await page.getByRole('link', { name: 'Size guide' }).click()
    expect(await guide.locator('tr[aria-current]').innerText()).toMatch(/^2–3 years/)
    expectNoConsoleErrors(visitor)
  })

  it('stands out in forced colours when it is selected', async () => {
    const visitor = await openShopper({ localStorage: { sizes: '{"age":"4–5 years"}' } })
    const { page } = visitor
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
    await visit(visitor, '/product/30')
    await page.getByRole('group', { name: 'Size: 4–5 years' }).waitFor()
    const colours = await page
      .locator('.sizes .chip')
      .evaluateAll((chips) => chips.map((chip) => getComputedStyle(chip).backgroundColor))
    await page.getByRole('link', { name: 'Size guide' }).click()
    const rows = await page.getByRole('table').evaluate((table) => {
      const backgroundOf = (selector: string) => {
        const row = table.querySelector(selector)
        return row && getComputedStyle(row).backgroundColor
      }
      return { marked: backgroundOf('[aria-current]'), other: backgroundOf('tbody tr:not([aria-current])') }
    })
    await page.emulateMedia({ forcedColors: null })
    const [selected, ...others] = [colours[3], ...colours.toSpliced(3, 1)]
    expect(others).not.toContain(selected)
    expect(new Set(others).size).toBe(1)
    expect(rows.marked).toBe(selected)
    expect(rows.other).not.toBe(selected)
  })

  it('added from a card is the last one selected or an assumed one, which cart and checkout point out', async () => {
    const cart = [storedLine(0, { qty: 2 }), storedLine(0, { id: 101, size: '3–6 months', qty: 3 })]
    const visitor = await openSignedInShopper({ cart })
    const { page } = visitor
    await page.evaluate(() => localStorage.setItem('sizes', '{"age":"12–18 months"}'))
    await visit(visitor, '/products')
    for (const title of ['Organic Cotton Snap Romper', 'Kikoi Wrap Dress'])
      await expectBriefText(page, 'Added to cart', () =>
        cardOf(page, title).getByRole('button', { name: 'Add to Cart' }).click(),
      )
    await page.getByRole('link', { name: 'Cart 4 items' }).waitFor()
    await expect
      .poll(() => readSizesInCart(page))
      .toEqual([
        [1, '0–3 months', 'chosen', 2],
        [101, '3–6 months', 'chosen', 3],
        [103, '12–18 months', 'chosen', 1],
        [2, 'S', 'assumed', 1],
      ])
    await visit(visitor, '/product/2')
    await sizeRadio(page, 'L').check()
    await page.getByText('Your cart also has size S.').waitFor()
    await sizeRadio(page, 'S').check()
    await page.getByText('Size: S · 1 in cart', { exact: true }).waitFor()
    expect(await page.getByText('Your cart also has size').count()).toBe(0)
    await page.locator('.bar__cart').click()
    await page.getByRole('link', { name: 'Proceed to Checkout' }).click()
    const sizes = page.getByRole('group', { name: 'Please confirm this size:' })
    await sizes.getByText('Kikoi Wrap Dress', { exact: true }).waitFor()
    await submitButton(page).click()
    await page.getByText('Address is required').waitFor()
    const isFocused = (group: Element) => group.parentElement === document.activeElement
    expect(await sizes.evaluate(isFocused), 'the sizes come before the first empty field').toBe(true)
    await fillForm(page)
    await submitButton(page).click()
    await sizes.getByText('Confirm or change the size before you order.').waitFor()
    expect(await visitor.orders()).toEqual([])
    await page.goBack()

    await cartLine(page, 3).getByText('Please confirm this size.').waitFor()
    expect(await page.getByText('Please confirm this size.').count()).toBe(1)
    const summary = cartLine(page, 3).locator('summary')
    await summary.getByText(/^Change/).click()
    await summary.getByText(/^Close/).waitFor()
    const assumed = cartLine(page, 3).getByRole('button', { name: 'S (not confirmed yet)', exact: true })
    expect(await assumed.evaluate((chip) => getComputedStyle(chip).borderStyle)).toBe('dashed')
    const guide = cartLine(page, 3).getByRole('link', { name: 'Size guide' })
    expect(await guide.getAttribute('href')).toBe('/about#size-guide-clothing')
    await cartLine(page, 3).getByRole('button', { name: 'Keep size S' }).click()
    await page.getByText('Please confirm this size.').waitFor({ state: 'detached' })
    const isActive = (element: Element) => element === document.activeElement
    expect(await cartLine(page, 3).locator('summary').evaluate(isActive)).toBe(true)

    await cartLine(page, 1).locator('summary').click()
    await page.setViewportSize(DESKTOP_VIEWPORT)
    expect(await listViolations(page)).toEqual([])
    await expectBriefText(page, 'Selected size 0–3 months of Organic Cotton Snap Romper', () =>
      cartLine(page, 1).getByRole('button', { name: '0–3 months' }).click(),
    )
    await page.waitForFunction(() => document.querySelectorAll('.cart-line').length === 3)
    const merged = page.locator('.cart-line', { hasText: 'KSH 9250' })
    expect(await merged.locator('summary').evaluate(isActive)).toBe(true)
    expect((await readSizesInCart(page)).toSorted()).toEqual([
      [1, '0–3 months', 'chosen', 5],
      [103, '12–18 months', 'chosen', 1],
      [2, 'S', 'chosen', 1],
    ])
    expectNoConsoleErrors(visitor)
  })
})
