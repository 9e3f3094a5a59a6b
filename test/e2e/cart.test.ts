import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { DESKTOP, expectNoComplaints, journeys, PHONE, says, visit } from '#test/support/shopper.ts'
import { itemLine, signedInShopper, stored, storedLine } from '#test/support/signed-in-shopper.ts'

const romper = storedLine(0, { title: 'Romper', price: 250, qty: 2 })
const shuka = storedLine(5, { title: 'Shuka', price: 99.5, qty: 1 })

journeys('the cart', () => {
  it('sends a skeleton and never the empty state before the browser has read its storage', async () => {
    const { page } = await signedInShopper()
    const html = await (await page.context().request.get('/cart')).text()
    expect(html).toContain('Loading your cart')
    expect(html).not.toContain('Your cart is empty!')
  })

  it('greets by name when it is empty, and leads into the shop', async () => {
    const visitor = await signedInShopper({ name: 'Wambui' })
    const { page } = visitor
    await visit(visitor, '/cart')
    await page.getByRole('heading', { name: 'Your cart is empty!' }).waitFor()
    await page.getByText('Hi Wambui! Ready to find something amazing?').waitFor()
    const address = (name: string) => page.getByRole('link', { name }).getAttribute('href')
    expect(await address('Browse Products')).toBe('/products')
    expect(await address('View Categories')).toBe('/categories')
    const { x = 0, width = 0 } =
      (await page.getByRole('link', { name: 'Browse Products' }).boundingBox()) ?? {}
    expect(Math.round(x + width / 2)).toBe(PHONE.width / 2)
    expectNoComplaints(visitor)
  })

  it('shows each line, and what the cart comes to', async () => {
    const visitor = await signedInShopper({ cart: [romper, shuka] })
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
    expect(await rowsOf(page)).toEqual([
      'Subtotal KSH 599.50',
      'Shipping (estimate) KSH 50',
      'VAT (16%) KSH 95.92',
      'Total amount KSH 745.42',
    ])
    expect(await page.locator('.cart__payments img').count()).toBe(4)
    await page.getByText('Secure checkout').waitFor()
    expect(await page.getByRole('link', { name: 'Proceed to Checkout' }).getAttribute('href')).toBe(
      '/checkout',
    )
    expectNoComplaints(visitor)
  })

  it('says what is left of its lines, and sets each right in one tap', async () => {
    const visitor = await signedInShopper({ cart: [itemLine(44), itemLine(65, { qty: 5 })] })
    const { page } = visitor
    await visit(visitor, '/cart')
    const [pots, bag] = ['Snack Pots', 'Changing Bag'].map((hasText) =>
      page.locator('.cart-line', { hasText }),
    )
    await bag?.getByText('Only 2 left').waitFor()
    await bag?.getByRole('button', { name: 'Take 2' }).click()
    expect(await bag?.locator('.badge').innerText()).toBe('2')
    await pots?.getByText('Sold out').waitFor()
    await pots?.getByRole('button', { name: 'Take it out' }).click()
    await page.getByRole('heading', { name: 'Cart Items (1)' }).waitFor()
    expectNoComplaints(visitor)
  })

  it('takes and adds units with their toasts, and says the new number', async () => {
    const visitor = await signedInShopper({ cart: [romper] })
    const { page } = visitor
    await visit(visitor, '/cart')
    const quantity = page.getByRole('status').filter({ hasText: 'of Romper' })
    const plus = page.getByRole('button', { name: 'Increase quantity of Romper' })
    await says(page, 'Added Romper to cart', () => plus.click())
    expect(await quantity.innerText()).toMatch(/^3/)
    const minus = page.getByRole('button', { name: 'Decrease quantity of Romper' })
    await minus.click()
    await minus.click()
    expect(await quantity.innerText()).toMatch(/^1/)
    expect(await page.getByText('Removed Romper from cart').count()).toBe(0)
    await says(page, 'Removed Romper from cart', () => minus.click(), '.toast--info')
    const empty = page.getByRole('heading', { name: 'Your cart is empty!' })
    await empty.waitFor()
    expect(await empty.evaluate((heading) => heading === document.activeElement)).toBe(true)
    expect(await stored(page, 'cart')).toEqual([])
    expectNoComplaints(visitor)
  })

  it('asks before it removes a line; every way out but Remove keeps it', async () => {
    const visitor = await signedInShopper({ cart: [romper, shuka], viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/cart')
    const icon = page.getByRole('button', { name: 'Remove Romper from cart' })
    const dialog = page.getByRole('dialog', { name: 'Remove Item' })
    const ways = [
      () => dialog.getByRole('button', { name: 'Cancel' }).click(),
      () => dialog.getByRole('button', { name: 'Close' }).click(),
      () => page.keyboard.press('Escape'),
      () => page.mouse.click(5, 5),
    ]
    for (const cancel of ways) {
      await icon.click()
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
    await says(page, 'Removed Romper from cart', () => remove.click(), '.toast--success')
    await page.getByRole('heading', { name: 'Cart Items (1)' }).waitFor()
    expectNoComplaints(visitor)
  })

  it('takes one line for two quick taps on minus, and puts it back where it was', async () => {
    const lines = ['Romper', 'Shuka', 'Kikoi'].map((title, index) =>
      storedLine(index + 4, { title, description: 'Soft.' }),
    )
    const visitor = await signedInShopper({ cart: lines })
    const { page } = visitor
    const titles = () => page.locator('.cart-line h3').allInnerTexts()
    await visit(visitor, '/cart')
    await page.getByRole('heading', { name: 'Cart Items (3)' }).waitFor()
    expect(await tapTwice(page, 'Decrease quantity of Shuka')).toBe('Decrease quantity of Kikoi')
    expect(await titles()).toEqual(['Romper', 'Kikoi'])
    const line = (title: string) => page.locator('.cart-line', { hasText: title })
    const isFocused = (element: HTMLElement | SVGElement) => element === document.activeElement
    expect(await line('Kikoi').evaluate(isFocused)).toBe(true)

    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(titles).toEqual(['Romper', 'Shuka', 'Kikoi'])
    expect(await line('Shuka').evaluate(isFocused)).toBe(true)
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(titles).toEqual(['Romper', 'Kikoi'])
    expectNoComplaints(visitor)
  })

  it('clears the cart and its storage, until that is undone', async () => {
    const visitor = await signedInShopper({ cart: [romper, shuka] })
    const { page } = visitor
    await visit(visitor, '/cart')
    await says(page, 'Cart cleared', () => page.getByRole('button', { name: 'Clear Cart' }).click())
    await page.getByRole('heading', { name: 'Your cart is empty!' }).waitFor()
    expect(await page.evaluate(() => localStorage.getItem('cart'))).toBeNull()
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await page.getByRole('heading', { name: 'Cart Items (2)' }).waitFor()
    expect(await stored(page, 'cart')).toMatchObject([{ title: 'Romper', qty: 2 }, { title: 'Shuka' }])
  })

  it('saves the lines for later, keeps them through a reload, and moves them back', async () => {
    const visitor = await signedInShopper({ cart: [romper, shuka] })
    const { page } = visitor
    await visit(visitor, '/cart')
    await page.getByRole('button', { name: 'Save for Later' }).click()
    await page.getByRole('heading', { name: 'Your cart is empty!' }).waitFor()
    await visit(visitor, '/cart')
    await page.getByRole('heading', { name: 'Saved for Later (2)' }).waitFor()
    await page.getByRole('button', { name: /^Move to cart.+Romper$/ }).click()
    await page.getByRole('heading', { name: 'Cart Items (1)' }).waitFor()
    expect(await stored(page, 'cart')).toMatchObject([{ title: 'Romper', qty: 2 }])
    await page.getByRole('button', { name: 'Remove Shuka from your saved items' }).click()
    await page.getByRole('heading', { name: /^Saved for Later/ }).waitFor({ state: 'hidden' })
    expect(await stored(page, 'saved')).toEqual([])
    expectNoComplaints(visitor)
  })

  it('hints at free shipping from above 500 up to 1000, and announces it above 1000', async () => {
    const visitor = await signedInShopper()
    const { page } = visitor
    await visit(visitor, '/cart')
    const hints: Record<number, string[]> = {}
    for (const price of [500, 501, 1000, 1001]) {
      await page.evaluate((text) => localStorage.setItem('cart', text), JSON.stringify([{ ...shuka, price }]))
      await visit(visitor, '/cart')
      await page.getByRole('heading', { name: 'Cart Items (1)' }).waitFor()
      hints[price] = await page.locator('.summary .banner').allInnerTexts()
      const shipping = (await rowsOf(page)).find((row) => row.startsWith('Shipping'))
      expect(shipping).toBe(`Shipping (estimate) ${price > 1000 ? 'FREE' : 'KSH 50'}`)
    }
    expect(hints).toEqual({
      500: [],
      501: ['Add KSH 500 more for free shipping'],
      1000: ['Add KSH 1 more for free shipping'],
      1001: ['🎉 Free shipping applied!'],
    })
  })

  it('takes a promo code, keeps it for checkout, and gives it back', async () => {
    const visitor = await signedInShopper({ cart: [romper] })
    const { page } = visitor
    await visit(visitor, '/cart')
    const apply = async (code: string) => {
      await page.getByLabel('Promo code').fill(code)
      await page.getByRole('button', { name: 'Apply' }).click()
    }
    await apply('')
    await page.getByText('Please enter a promo code.').waitFor()
    await apply('karibu10')
    await page.getByText('KARIBU10 applied.').waitFor()
    expect(await rowsOf(page)).toContain('Discount (KARIBU10) −KSH 50')
    await visit(visitor, '/checkout')
    await page.getByText('Discount (KARIBU10)').waitFor()
    await visit(visitor, '/cart')
    await page.getByRole('button', { name: 'Remove promo code KARIBU10' }).click()
    expect(await rowsOf(page)).toContain('Total amount KSH 630')
    expectNoComplaints(visitor)
  })

  it('says why a promo code does not count', async () => {
    const { page, ...visitor } = await signedInShopper({ cart: [romper] })
    await visit({ page, ...visitor }, '/cart')
    for (const [code, reason] of [
      ['NOPE', 'This promo code is not known. Please check its spelling.'],
      ['JAMHURI24', 'This promo code has expired.'],
    ] as const) {
      await page.getByLabel('Promo code').fill(code)
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.getByText(reason).waitFor()
    }
  })

  it('says on opening which prices have changed and what is gone, and sets that right in one tap', async () => {
    const visitor = await signedInShopper({ cart: [romper, { ...shuka, id: 999_999 }] })
    const { page } = visitor
    await visit(visitor, '/cart')
    const price = storedLine(0).price
    const told = page
      .getByRole('status')
      .filter({ hasText: `Romper, 0–3 months is now KSH ${price} (it was KSH 250).` })
    await told.getByText('Shuka is no longer sold.').waitFor()
    await page.getByLabel('Promo code').fill('KARIBU10')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Shuka is no longer sold. Please take it out of the cart and try again.').waitFor()

    await page.getByRole('link', { name: 'Proceed to Checkout' }).click()
    await told.getByRole('button', { name: 'Update the cart' }).click()
    await page.getByText('Your cart is up to date.').waitFor()
    expect(await stored(page, 'cart')).toMatchObject([{ id: romper.id, qty: 2, price }])
    expect(await rowsOf(page)).toContain(`Subtotal KSH ${2 * price}`)
  })

  it('shows what another tab puts into the cart', async () => {
    const visitor = await signedInShopper({ cart: [romper] })
    const { page } = visitor
    await visit(visitor, '/cart')
    const other = await page.context().newPage()
    await visit({ ...visitor, page: other }, '/cart')
    await other.getByRole('button', { name: 'Increase quantity of Romper' }).click()
    await page.locator('.badge').getByText('3').waitFor()
    await other.getByRole('button', { name: 'Clear Cart' }).click()
    await page.getByRole('heading', { name: 'Your cart is empty!' }).waitFor()
    expectNoComplaints(visitor)
  })

  it('shows the placeholder for an image that fails', async () => {
    const { page, ...visitor } = await signedInShopper({ cart: [{ ...romper, image: '/missing.svg' }] })
    await visit({ page, ...visitor }, '/cart')
    await page.locator('.cart-line img[src="/placeholder-image.jpg"]').waitFor()
  })
})

/** The rows of the order summary, as text. */
async function rowsOf(page: Page): Promise<string[]> {
  const rows = await page.locator('.totals__row').allInnerTexts()
  return rows.map((row) => row.replace(/\s+/g, ' '))
}

/** Taps twice on the middle of a button, a frame apart; returns what the second tap was on. */
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
