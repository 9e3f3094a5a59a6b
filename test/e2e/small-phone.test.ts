import { expect, it } from 'vitest'
import { shop } from '#shared/shop.ts'
import {
  expectNoComplaints,
  holdBack,
  hydrated,
  journeys,
  PHONE,
  shopper,
  visit,
} from '#test/support/shopper.ts'
import { signedInShopper, stored, storedLine } from '#test/support/signed-in-shopper.ts'

journeys('on a small phone, with one thumb,', () => {
  it('a product shows its price, whether it is there, and its buttons without scrolling', async () => {
    const visitor = await shopper({ viewport: PHONE })
    const { page } = visitor
    for (const address of ['/product/1', '/product/7', '/product/30', '/product/44']) {
      await visit(visitor, address)
      const price = page.locator('.product__stock, .product__price').last()
      const add = page.locator('.product__actions').getByRole('button', { name: 'Add to Cart' })
      const [priceBox, addBox] = [await price.boundingBox(), await add.boundingBox()]
      if (!priceBox || !addBox) throw new Error(`${address}: The price or the button is not there.`)
      expect(priceBox.y + priceBox.height, address).toBeLessThan(addBox.y)
      expect(addBox.y + addBox.height, address).toBeLessThanOrEqual(PHONE.height)
    }
    expectNoComplaints(visitor)
  })

  it('shows on a slow line that the page is not hydrated yet, keeps a tap, and acts on it then', async () => {
    const visitor = await shopper()
    const { page } = visitor
    const sendScript = await holdBack(page, '**/assets/entry-*.js')
    await page.goto('/products', { waitUntil: 'commit' })
    const add = page.getByRole('button', { name: 'Add to Cart' }).nth(1)
    const opacity = () => add.evaluate((button) => getComputedStyle(button).opacity)
    await expect.poll(opacity).toBe('0.6')
    await add.click()
    sendScript()
    await page.getByText('Added to cart').waitFor()
    await expect.poll(opacity).toBe('1')
    expect(await page.locator('.bar__cart .badge').textContent()).toBe('1 item')
    expect(await stored(page, 'cart')).toMatchObject([{ id: 2, qty: 1 }])
    expectNoComplaints(visitor)
  })

  it('does nothing by itself for a button that only has the focus when the page hydrates', async () => {
    const { page } = await shopper()
    const sendScript = await holdBack(page, '**/assets/entry-*.js')
    await page.goto('/product/1', { waitUntil: 'commit' })
    await page.locator('.product__actions button').waitFor()
    while (!(await page.evaluate(() => document.activeElement?.matches('.product__actions button'))))
      await page.keyboard.press('Tab')
    sendScript()
    await hydrated(page)
    expect(await page.locator('.bar__cart .badge').count()).toBe(0)
  })

  it('sews at the hem of the bar while the next page takes its time', async () => {
    const visitor = await shopper()
    const { page } = visitor
    const sendScript = await holdBack(page, '**/assets/about-page-*.js')
    await visit(visitor, '/contact')
    const hem = () =>
      page.evaluate(
        () => getComputedStyle(document.querySelector('.bar') as Element, '::after').animationName,
      )
    expect(await hem()).toBe('none')
    await page.evaluate(() => document.querySelector<HTMLElement>('a[href="/about"]')?.click())
    await expect.poll(hem).toBe('hem')
    sendScript()
    await page.getByRole('heading', { name: 'Our philosophy' }).waitFor()
    expect(await hem()).toBe('none')
    expectNoComplaints(visitor)
  })

  it('with Save-Data, fetches no font, no decoration, nothing ahead, and lighter pictures', async () => {
    const visitor = await shopper({ extraHTTPHeaders: { 'Save-Data': 'on' }, profile: {} })
    const { page } = visitor
    const fetched: string[] = []
    page.on('request', (request) => fetched.push(new URL(request.url()).pathname))
    await visit(visitor, '/products')
    await page.getByRole('link', { name: 'Toys' }).hover()
    await page.getByRole('link', { name: 'Buy Now' }).first().hover()
    await page.waitForLoadState('networkidle')
    expect(fetched.filter((path) => /woff2|weave|Items\.json|product-page/.test(path))).toEqual([])

    // Inside the app, too: the catalogue is the browser's own by then.
    await page.getByRole('link', { name: 'Buy Now' }).first().click()
    await page.getByRole('link', { name: 'Go to Cart' }).waitFor()
    await page.getByRole('link', { name: shop.name }).click()
    await page.locator('.hero__art img').scrollIntoViewIfNeeded()
    await page.waitForLoadState('networkidle')
    const pictures = fetched.filter((path) => /^\/images\/(products|hero)/.test(path))
    expect(pictures.length).toBeGreaterThan(4)
    expect(pictures.filter((path) => !path.endsWith('.data-saver.svg'))).toEqual([])
    expectNoComplaints(visitor)
  })

  it('keeps what was typed for coming back: on the account forms', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await visit(visitor, '/login')
    await page.getByLabel('Email address').fill('amina@example.com')
    await page.getByLabel('Password').fill('kikoi-2026')
    await page.getByRole('link', { name: 'Forgot Password?' }).click()
    await page.getByRole('heading', { name: 'Reset Password' }).waitFor()
    expect(await page.getByRole('textbox', { name: /email/i }).inputValue()).toBe('amina@example.com')
    await page.goBack()
    await page.getByRole('heading', { name: 'Welcome Back!' }).waitFor()
    expect(await page.getByLabel('Email address').inputValue()).toBe('amina@example.com')
    expect(await page.getByLabel('Password').inputValue()).toBe('')
    expectNoComplaints(visitor)
  })

  it('keeps what was typed for coming back: at checkout, but no card', async () => {
    const visitor = await signedInShopper({ cart: [storedLine(0)] })
    const { page } = visitor
    await visit(visitor, '/cart')
    await page.getByRole('link', { name: 'Proceed to Checkout' }).click()
    await page.getByLabel('Address', { exact: true }).fill('Moi Avenue 4')
    await page.getByLabel('County').selectOption('Kisumu')
    await page.getByLabel('Card number').fill('4242 4242 4242 4242')
    await page.goBack()
    await page.getByRole('heading', { name: 'Shopping Cart' }).waitFor()
    await page.goForward()
    expect(await page.getByLabel('Address', { exact: true }).inputValue()).toBe('Moi Avenue 4')
    expect(await page.getByLabel('County').inputValue()).toBe('Kisumu')
    expect(await page.getByLabel('Card number').inputValue()).toBe('')
    expectNoComplaints(visitor)
  })

  it('keeps bar, search and order on the screen under a root of twice its size, and breaks no word', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await visit(visitor, '/products')
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%'
    })
    const outside = await page.evaluate(() =>
      Array.from(document.querySelectorAll('.bar *, .shop__head *'))
        .filter((element) => element.checkVisibility() && !element.closest('.visually-hidden'))
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
        .map((element) => `${element.tagName} .${element.className}`),
    )
    expect(outside).toEqual([])
    const lines = await page.locator('.shop__head h1').evaluate((heading) => {
      const range = document.createRange()
      range.selectNodeContents(heading)
      return range.getClientRects().length
    })
    expect(lines).toBeLessThanOrEqual(3)
  })

  it('shows the whole open menu above its border when it is turned', async () => {
    const visitor = await shopper({ viewport: { width: 740, height: 360 } })
    const { page } = visitor
    await visit(visitor, '/about')
    await page.getByRole('button', { name: 'Open menu' }).click()
    const menu = page.locator('#menu')
    await menu.evaluate((element) => Promise.all(element.getAnimations().map(({ finished }) => finished)))
    const login = await menu.getByRole('link', { name: 'Login' }).boundingBox()
    if (!login) throw new Error('There is no link to Login.')
    expect(await menu.evaluate((element) => element.scrollHeight - element.clientHeight)).toBe(0)
    expect(login.y + login.height).toBeLessThanOrEqual(360 - 24)
  })
})
