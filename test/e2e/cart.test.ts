import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { keepAmountsUnbroken } from '#shared/format.ts'
import {
  DESKTOP_VIEWPORT,
  expectBriefText,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  PHONE_VIEWPORT,
  visit,
} from '#test/support/shopper.ts'
import {
  itemLine,
  newAccount,
  openSignedInShopper,
  PASSWORD,
  readStored,
  storedLine,
} from '#test/support/signed-in-shopper.ts'

const romper = storedLine(0, { title: 'Romper', price: 250, qty: 2 })
const shuka = storedLine(5, { title: 'Shuka', price: 99.5, qty: 1 })

/** The browser logs this line for every 4xx response, such as that to a rejected promo code. */
const FAILURE_PATTERN = /^Failed to load resource: the server responded with a status of 4/

const isUnderToast = (element: Locator) =>
  element.evaluate((covered) => {
    const { top = 0, bottom = 0 } = document.querySelector('.toast')?.getBoundingClientRect() ?? {}
    const rect = covered.getBoundingClientRect()
    return top < rect.bottom && rect.top < bottom
  })

const isFocused = (element: HTMLElement | SVGElement) => element === document.activeElement

journeys('the cart', () => {
  it('is filled from a link only once, and opens immediately, or after login if signed out', async () => {
    const romper = itemLine(1)
    const member = await openSignedInShopper({ cart: [romper] })
    for (const sentence of [
      `Added to your cart: 1 × ${romper.title}`,
      'Everything from this link is already',
    ]) {
      await visit(member, '/buy/1:2,44:1')
      await member.page.waitForURL('/cart')
      await member.page.getByText(sentence).waitFor()
      await member.page.getByText('We’re sold out of').first().waitFor()
    }
    expect(await readStored(member.page, 'cart')).toMatchObject([{ id: 1, qty: 2 }])
    const outcome = await member.page.locator('.banner', { hasText: 'We’re sold out of' }).boundingBox()
    const lines = await member.page.locator('.panel', { hasText: 'Cart Items (1)' }).boundingBox()
    expect((lines?.y ?? 0) - (outcome?.y ?? 0) - (outcome?.height ?? 0), 'a gap').toBeGreaterThan(15)

    const visitor = await openShopper()
    await visit(visitor, '/buy/1:2')
    await visitor.page.waitForURL('/login')
    await visitor.page.getByText('Added to your cart: 2 × ').waitFor()
    const { email } = await newAccount()
    await visitor.page.getByLabel('Email address').fill(email)
    await visitor.page.getByLabel('Password').fill(PASSWORD)
    await visitor.page.getByRole('button', { name: 'Login' }).click()
    await visitor.page.waitForURL('/cart')
    await visitor.page.getByRole('heading', { name: 'Cart Items (1)' }).waitFor()
    for (const person of [member, visitor]) expectNoConsoleErrors(person)
  })

  it('shows lines and totals, changes quantities with toasts, and confirms before removing a line', async () => {
    const visitor = await openSignedInShopper({ cart: [romper, shuka], viewport: DESKTOP_VIEWPORT })
    const { page } = visitor
    await visit(visitor, '/cart')
    await page.getByText('Welcome back, Amina Wanjiru!').waitFor()
    await page.getByRole('heading', { name: 'Cart Items (2)' }).waitFor()
    const [first, second] = await page.locator('.cart-line').all()
    expect(await first?.innerText()).toContain('KSH 500')
    expect(await first?.innerText()).toContain('KSH 250 each')
    expect(await first?.locator('.badge').innerText()).toBe('2')
    expect(await first?.locator('.cart-line__text > p').textContent()).toBe(
      `${romper.description.slice(0, 100)}...`,
    )
    expect(await second?.innerText()).toContain('KSH 99.50 each')
    expect(await readRows(page)).toEqual([
      'Subtotal KSH 599.50',
      'Shipping (estimate) KSH 50',
      'VAT (16%) KSH 95.92',
      'Total amount KSH 745.42',
    ])
    const banners = page.locator('.summary .banner')
    expect(await banners.allInnerTexts()).toEqual(['Add KSH 401 more for free shipping'])
    expect(await page.locator('.cart__payments img').count()).toBe(4)
    await page.getByText('Secure checkout: we never see your card number or M-Pesa PIN.').waitFor()
    expect(await page.getByRole('link', { name: 'Proceed to Checkout' }).getAttribute('href')).toBe(
      '/checkout',
    )

    const quantity = page.getByRole('status').filter({ hasText: 'of Romper' })
    const plus = page.getByRole('button', { name: 'Increase quantity of Romper' })
    await expectBriefText(page, 'Added Romper to cart', () => plus.click())
    await expect.poll(() => quantity.innerText()).toMatch(/^3/)
    await plus.click()
    await expect.poll(() => banners.allInnerTexts()).toEqual(['🎉 Free shipping applied!'])
    expect(await readRows(page)).toContain('Shipping (estimate) FREE')
    const minus = page.getByRole('button', { name: 'Decrease quantity of Romper' })
    await minus.click()
    await expect.poll(() => quantity.innerText()).toMatch(/^3/)
    expect(await page.getByText('Removed Romper from cart').count()).toBe(0)

    const icon = page.getByRole('button', { name: /^Remove Romper.* from cart$/ })
    const dialog = page.getByRole('dialog', { name: 'Remove Item' })
    const cancellations = [
      () => dialog.getByRole('button', { name: 'Cancel' }).click(),
      () => dialog.getByRole('button', { name: 'Close' }).click(),
      () => page.keyboard.press('Escape'),
      () => page.mouse.click(5, 5),
    ]
    await expectBriefText(page, 'Added Romper to cart', () => plus.click(), '.toast')
    for (const cancel of cancellations) {
      await icon.click()
      expect(await page.locator('.toast:not([data-leaving])').count()).toBe(0)
      await dialog.getByText('Are you sure you want to remove "Romper" from your cart?').waitFor()
      await cancel()
      await dialog.waitFor({ state: 'hidden' })
      expect(await icon.evaluate((button) => button === document.activeElement)).toBe(true)
    }

    await icon.press('Enter')
    for (let presses = 0; presses < 5; presses++) {
      await page.keyboard.press('Tab')
      expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true)
    }
    const remove = dialog.getByRole('button', { name: 'Remove' })
    await expectBriefText(page, 'Removed Romper from cart', () => remove.click(), '.toast--success')
    await page.getByRole('heading', { name: 'Cart Items (1)' }).waitFor()

    const last = page.getByRole('button', { name: 'Decrease quantity of Shuka' })
    await expectBriefText(page, 'Removed Shuka from cart', () => last.press('Enter'), '.toast--info')
    const empty = page.getByRole('heading', { name: 'Your cart is empty!' })
    await empty.waitFor()
    expect(await empty.evaluate(isFocused)).toBe(true)
    expect(await readStored(page, 'cart')).toEqual([])
    await page.getByText('Hi Amina Wanjiru! Ready to find something amazing?').waitFor()
    const getHref = (name: string) => page.getByRole('link', { name }).getAttribute('href')
    expect(await getHref('Browse Products')).toBe('/products')
    expect(await getHref('View Categories')).toBe('/categories')
    await page.setViewportSize(PHONE_VIEWPORT)
    const { x = 0, width = 0 } =
      (await page.getByRole('link', { name: 'Browse Products' }).boundingBox()) ?? {}
    expect(Math.round(x + width / 2)).toBe(PHONE_VIEWPORT.width / 2)
    expectNoConsoleErrors(visitor)
  })

  it('removes one line for a double tap on minus, undoes the last removal, and saves lines for later', async () => {
    const lines = ['Romper', 'Shuka', 'Kikoi'].map((title, index) =>
      storedLine(index + 4, { title, description: 'Soft.' }),
    )
    const visitor = await openSignedInShopper({ cart: lines })
    const { page } = visitor
    const titles = () => page.locator('.cart-line h3').allInnerTexts()
    const undo = page.getByRole('button', { name: 'Undo removal' })
    const shownToasts = page.locator('.toast:not([data-leaving])')
    await visit(visitor, '/cart')
    await page.getByRole('heading', { name: 'Cart Items (3)' }).waitFor()
    expect(await tapTwice(page, 'Decrease quantity of Shuka')).toBeUndefined()
    expect(await titles()).toEqual(['Romper', 'Kikoi'])
    const line = (title: string) => page.locator('.cart-line', { hasText: title })
    expect(await page.locator('.cart__lines > li').allInnerTexts()).toMatchObject([
      expect.stringContaining('Romper'),
      expect.stringMatching(/^Shuka removed\s+Undo removal/),
      expect.stringContaining('Kikoi'),
    ])
    expect(await page.locator('.cart__removed').evaluate(isFocused)).toBe(true)

    await page.locator('.toast').waitFor()
    await expect.poll(() => isUnderToast(page.locator('.cart__removed'))).toBe(false)
    await undo.click()
    await expect.poll(titles).toEqual(['Romper', 'Shuka', 'Kikoi'])
    expect(await shownToasts.count()).toBe(0)
    expect(await line('Shuka').evaluate(isFocused)).toBe(true)
    expect(await undo.count()).toBe(0)
    for (let i = 0; i < 3; i++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(titles).toEqual(['Romper', 'Kikoi'])

    await expectBriefText(page, 'Cart cleared', () =>
      page.getByRole('button', { name: 'Clear Cart' }).click(),
    )
    await page.getByRole('heading', { name: 'Your cart is empty!' }).waitFor()
    expect(await page.evaluate(() => localStorage.getItem('cart'))).toBeNull()
    expect(await page.locator('.notice .button:not(.button--quiet)').allInnerTexts()).toEqual([
      'Restore cart',
    ])
    await page.getByRole('button', { name: 'Restore cart' }).press('Enter')
    await page.getByRole('heading', { name: 'Cart Items (2)' }).waitFor()
    expect(await readStored(page, 'cart')).toMatchObject([{ title: 'Romper' }, { title: 'Kikoi' }])

    await page.getByRole('button', { name: /^Save this for later.+Kikoi$/ }).click()
    await page.getByRole('heading', { name: 'Saved for Later (1)' }).waitFor()
    expect(await titles()).toEqual(['Romper', 'Kikoi'])
    expect(await line('Romper').evaluate(isFocused)).toBe(true)
    expect(await readStored(page, 'cart')).toMatchObject([{ title: 'Romper' }])
    await page.getByRole('button', { name: 'Save for Later', exact: true }).click()
    const empty = page.getByRole('heading', { name: 'Your cart is empty!' })
    await empty.waitFor()
    expect(await empty.evaluate(isFocused)).toBe(true)
    await visit(visitor, '/cart')
    await page.getByRole('heading', { name: 'Saved for Later (2)' }).waitFor()
    const move = await page
      .getByRole('button', { name: /^Move to cart/ })
      .first()
      .boundingBox()
    expect((move?.y ?? Infinity) + (move?.height ?? 0), 'on the first screen').toBeLessThan(
      PHONE_VIEWPORT.height,
    )
    await page.getByRole('button', { name: /^Move to cart.+Romper$/ }).click()
    await page.getByRole('heading', { name: 'Cart Items (1)' }).waitFor()
    expect(await readStored(page, 'cart')).toMatchObject([{ title: 'Romper' }])
    await page.getByRole('button', { name: 'Remove Kikoi from your saved items' }).click()
    await page.getByRole('heading', { name: /^Saved for Later/ }).waitFor({ state: 'hidden' })
    expect(await readStored(page, 'saved')).toEqual([])
    expectNoConsoleErrors(visitor)
  })

  it('shows and applies catalogue changes, carries a promo code to checkout, and keeps the checkout draft', async () => {
    const visitor = await openSignedInShopper({ cart: [romper, { ...shuka, id: 999_999 }] })
    const { page } = visitor
    await visit(visitor, '/cart')
    const price = storedLine(0).price
    const changesNotice = page
      .getByRole('status')
      .filter({ hasText: keepAmountsUnbroken(`Romper, 0–3 months now costs KSH ${price} (was KSH 250).`) })
    await changesNotice.getByText('Shuka is no longer available.').waitFor()
    const apply = async (code: string) => {
      await page.getByLabel('Promo code').fill(code)
      await page.getByRole('button', { name: 'Apply' }).click()
    }
    for (const [code, reason] of [
      ['', 'Please enter a promo code.'],
      ['KARIBU10', 'Shuka is no longer available. Please remove it from your cart and try again.'],
    ] as const) {
      await apply(code)
      await page.getByText(reason).waitFor()
    }

    await page.getByRole('link', { name: 'Proceed to Checkout' }).click()
    // The notice is on both pages, and the URL changes before the page.
    await page.getByText('Please confirm your billing details.').waitFor()
    const update = changesNotice.getByRole('button', { name: 'Update cart' })
    await expectBriefText(page, 'Your cart is up to date.', () => update.click())
    expect(await readStored(page, 'cart')).toMatchObject([{ id: romper.id, qty: 2, price }])
    await page.getByText('View summary').click()
    expect(await readRows(page)).toContain(`Subtotal KSH ${2 * price}`)
    const address = page.getByLabel('Address', { exact: true })
    await address.fill('Moi Avenue 4')
    await page.getByLabel('County').selectOption('Kisumu')
    await page.getByLabel('Card number').fill('4242 4242 4242 4242')

    await page.goBack()
    await page.getByRole('heading', { name: 'Shopping Cart' }).waitFor()
    for (const [code, reason] of [
      ['NOPE', 'We don’t recognise this code. Please check the spelling.'],
      ['JAMHURI24', 'This promo code has expired.'],
      ['karibu10', 'KARIBU10 applied.'],
    ] as const) {
      await apply(code)
      await page.getByText(reason).waitFor()
    }
    const discount = `Discount (KARIBU10) −KSH ${(2 * price) / 10}`
    expect(await readRows(page)).toContain(discount)

    await page.goForward()
    await page.getByText('View summary').click()
    await page.getByText('Discount (KARIBU10)').waitFor()
    expect(await address.inputValue()).toBe('Moi Avenue 4')
    expect(await page.getByLabel('County').inputValue()).toBe('Kisumu')
    expect(await page.getByLabel('Card number').inputValue()).toBe('')
    await visit(visitor, '/cart')
    await expect.poll(() => readRows(page)).toContain(discount)
    await page.getByRole('button', { name: 'Remove promo code KARIBU10' }).click()
    expect((await readRows(page)).join()).not.toContain('Discount')
    expect(visitor.consoleErrors.filter((line) => !FAILURE_PATTERN.test(line))).toEqual([])
  })

  it('shows the stock of its lines, as does checkout, and adjusts each in one tap', async () => {
    const visitor = await openSignedInShopper({ cart: [itemLine(44), itemLine(65, { qty: 5 })] })
    const { page } = visitor
    await visit(visitor, '/checkout')
    const shortage = page.getByRole('status').filter({ hasText: 'Some items are sold out.' })
    await shortage.getByText('Weekender Changing Bag: only 2 left.').waitFor()
    await visit(visitor, '/cart')
    const [pots, bag] = ['Snack Pots', 'Changing Bag'].map((hasText) =>
      page.locator('.cart-line', { hasText }),
    )
    await bag?.getByText('Only 2 left').waitFor()
    await bag?.getByRole('button', { name: 'Reduce to 2' }).click()
    expect(await bag?.locator('.badge').innerText()).toBe('2')
    await pots?.getByText('Sold out').waitFor()
    await pots?.getByRole('button', { name: 'Remove item' }).click()
    await page.getByRole('heading', { name: 'Cart Items (1)' }).waitFor()
    expectNoConsoleErrors(visitor)
  })
})

async function readRows(page: Page): Promise<string[]> {
  const rows = await page.locator('.totals__row').allInnerTexts()
  return rows.map((row) => row.replace(/\s+/g, ' '))
}

/** Clicks the button's position twice, one frame apart. Returns the label of the button under the second click. */
function tapTwice(page: Page, name: string): Promise<string | null | undefined> {
  return page.evaluate(async (label) => {
    const target = document.querySelector(`[aria-label="${label}"]`)
    target?.scrollIntoView({ block: 'center', behavior: 'instant' })
    const { x, y, width, height } = target?.getBoundingClientRect() ?? new DOMRect()
    const [clientX, clientY] = [x + width / 2, y + height / 2]
    let button: Element | null | undefined
    for (const detail of [1, 2]) {
      button = document.elementFromPoint(clientX, clientY)?.closest('button')
      const init = { bubbles: true, cancelable: true, detail, clientX, clientY }
      button?.dispatchEvent(new PointerEvent('click', init))
      await new Promise(requestAnimationFrame)
    }
    return button?.getAttribute('aria-label')
  }, name)
}
