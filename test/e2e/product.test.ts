import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { shop } from '#shared/shop.ts'
import { DESKTOP, expectNoComplaints, journeys, PHONE, says, shopper, visit } from '#test/support/shopper.ts'
import items from '../../public/Items.json'

const romper = items[0]
const row = (page: Page) => page.locator('.also__row')
const pause = (page: Page) => page.getByRole('button', { name: 'Pause the moving products' })
const play = (page: Page) => page.getByRole('button', { name: 'Play the moving products' })

/** The row's animation: its pixels a second, and whether it runs; undefined while the row rests. */
const motion = (page: Page) =>
  page.evaluate(() => {
    const track = document.querySelector('.also__track')
    const [animation] = track?.getAnimations() ?? []
    const copyPx = track?.lastElementChild?.getBoundingClientRect().width ?? 0
    const { duration } = animation?.effect?.getTiming() ?? {}
    return animation && { pxPerS: copyPx / (Number(duration) / 1000), state: animation.playState }
  })
const moves = (page: Page) =>
  page.waitForFunction(() => document.querySelector('.also__track')?.getAnimations().length === 1)
const rests = (page: Page) =>
  page.waitForFunction(() => document.querySelector('.also__track')?.getAnimations().length === 0)

async function atTheRow(viewport = DESKTOP, options = {}) {
  const visitor = await shopper({ viewport, ...options })
  await visit(visitor, '/product/1')
  await row(visitor.page).scrollIntoViewIfNeeded()
  return { visitor, page: visitor.page }
}

journeys('a product', () => {
  it('shows all about itself', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await visit(visitor, '/product/1')
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(romper?.title)
    const text = await page.locator('.product__detail').innerText()
    for (const part of ["CHILDREN'S CLOTHING", '4.9', 'KSH 1850', romper?.description])
      expect(text).toContain(part)
    expect(text).not.toContain('Welcome back')
    expect(await page.title()).toBe(`Organic Cotton Snap Romper · ${shop.name}`)
    expect(await page.getByRole('link', { name: 'Go to Cart' }).getAttribute('href')).toBe('/cart')
    expectNoComplaints(visitor)
  })

  it('that is sold out cannot be added, and tells by mail when it is back', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/product/44')
    const detail = page.locator('.product__detail')
    await detail.getByText('Sold out').waitFor()
    expect(await detail.getByRole('button', { name: 'Add to Cart' }).isDisabled()).toBe(true)
    await detail.getByLabel('Tell me when it is back').fill('nobody')
    await detail.getByRole('button', { name: 'Tell me' }).click()
    await detail.getByText('Please enter a valid email.').waitFor()
    await detail.getByLabel('Tell me when it is back').fill('waits@shopper.test')
    await detail.getByRole('button', { name: 'Tell me' }).click()
    await detail.getByText('as soon as Coconut Shell Snack Pots is back').waitFor()
    await page.getByRole('link', { name: 'Shop', exact: true }).first().click()
    await page.locator('.grid li', { hasText: 'Coconut Shel' }).getByText('Sold out').waitFor()
    expect(visitor.complaints.filter((complaint) => !complaint.includes('400'))).toEqual([])
  })

  it('goes into the cart with all of its fields, and a toast that names it', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await visit(visitor, '/product/1')
    const add = page.locator('.product__detail').getByRole('button', { name: 'Add to Cart' })
    await says(page, 'Added Organic Cotton Snap Romper to cart', () => add.click())
    await page.getByRole('link', { name: 'Cart 1 item' }).waitFor()
    const { sizes: _sizes, scale: _scale, ...fields } = romper ?? {}
    expect(await page.evaluate(() => JSON.parse(localStorage.getItem('cart') ?? ''))).toEqual([
      {
        ...fields,
        description: romper?.description.slice(0, 101),
        size: '0–3 months',
        isSizeAssumed: true,
        qty: 1,
      },
    ])
    expectNoComplaints(visitor)
  })

  it('shows its name where the catalogue gives it no title', async () => {
    const named = items.find((item) => !('title' in item))
    const visitor = await shopper()
    await visit(visitor, `/product/${named?.id}`)
    expect(await visitor.page.getByRole('heading', { level: 1 }).innerText()).toBe(named?.name)
    expectNoComplaints(visitor)
  })

  it('reports it when the catalogue cannot be read', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page, complaints } = visitor
    await visit(visitor, '/products')
    await page.route('/Items.json', (route) => route.fulfill({ body: '[{"id": "one"}]' }))
    await page.locator('.grid > li').first().getByRole('link').click()
    await page.getByRole('heading', { name: 'We could not load this product' }).waitFor()
    expect(complaints.length).toBeGreaterThan(0)
    await page.unroute('/Items.json')
    await page.getByRole('link', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: romper?.title ?? '' }).waitFor()
  })
})

journeys('the row of related products', () => {
  it('lists the other products of the same category, and moves by itself at 50 pixels a second', async () => {
    const { visitor, page } = await atTheRow()
    await pause(page).waitFor()
    await moves(page)
    expect((await motion(page))?.pxPerS).toBeCloseTo(50, 1)
    const others = items.filter(({ id, category }) => category === romper?.category && id !== 1)
    const listed = await page.locator('.also__cards').first().getByRole('img').all()
    expect(await Promise.all(listed.map((image) => image.getAttribute('alt')))).toEqual(
      others.map(({ title, name }) => title ?? name),
    )
    expect(await page.locator('.also h3').first().innerText()).toMatch(/^.{1,15}…?$/)
    expectNoComplaints(visitor)
  })

  it('pauses under the pointer and goes on when it leaves', async () => {
    const { page } = await atTheRow()
    await moves(page)
    await row(page).hover()
    await rests(page)
    await page.mouse.move(5, 5)
    await moves(page)
  })

  it('pauses on click, until the button lets it go on', async () => {
    const { visitor, page } = await atTheRow()
    await moves(page)
    await row(page).hover()
    await row(page).locator('h3').nth(1).click()
    await page.mouse.move(5, 5)
    await play(page).waitFor()
    expect(await motion(page)).toBeUndefined()
    await play(page).click()
    await moves(page)
    await pause(page).click()
    await rests(page)
    expectNoComplaints(visitor)
  })

  it('pauses at a touch', async () => {
    const { page } = await atTheRow(PHONE, { profile: { hasTouch: true } })
    await moves(page)
    const title = await row(page).locator('h3').nth(1).boundingBox()
    // Wherever the row has moved to meanwhile.
    await page.touchscreen.tap(PHONE.width / 2, (title?.y ?? 0) + 5)
    await play(page).waitFor()
    expect(await motion(page)).toBeUndefined()
  })

  it('pauses while focus is inside, with the focused card in view, and offers each card once to the keyboard', async () => {
    const { visitor, page } = await atTheRow()
    await pause(page).waitFor()
    await moves(page)
    await pause(page).focus()
    const stops = []
    for (;;) {
      await page.keyboard.press('Tab')
      const stop = await page.evaluate(() => {
        const element = document.activeElement
        const box = element?.getBoundingClientRect()
        const isInView = box && box.left >= 0 && box.right <= innerWidth
        return element?.closest('.also__row') ? `${element.textContent} ${isInView}` : undefined
      })
      if (!stop) break
      stops.push(stop)
    }
    const others = items.filter(({ category }) => category === romper?.category).length - 1
    expect(stops).toEqual(Array.from({ length: others }, () => ['Buy Now true', 'Add to Cart true']).flat())
    await moves(page)
    expectNoComplaints(visitor)
  })

  it('adds from a card with the short toast, also from the copy that follows the row', async () => {
    const { visitor, page } = await atTheRow()
    await pause(page).waitFor()
    await row(page).hover()
    const add = page.locator('.also__cards').first().getByRole('button', { name: 'Add to Cart' }).first()
    await says(page, 'Added to cart', () => add.click(), '.toast')
    await page
      .locator('.also__cards[aria-hidden] button')
      .first()
      .evaluate((button) => (button as HTMLElement).click())
    await page.getByRole('link', { name: 'Cart 1 item' }).waitFor()
    await page.waitForFunction(() => JSON.parse(localStorage.getItem('cart') ?? '[]')[0]?.qty === 2)
    expectNoComplaints(visitor)
  })

  it('does not move under reduced motion, as a row to scroll', async () => {
    const { visitor, page } = await atTheRow(PHONE, { reducedMotion: 'reduce' })
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('carousel-motion')),
    )
    expect(await pause(page).count()).toBe(0)
    expect(await motion(page)).toBeUndefined()
    expect(await page.locator('.also__cards').count()).toBe(1)
    expect(await row(page).evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true)
    expectNoComplaints(visitor)
  })

  it('is a row to scroll without scripts', async () => {
    const { page } = await shopper({ javaScriptEnabled: false })
    await page.goto('/product/1')
    await row(page).getByRole('link', { name: 'Buy Now' }).last().click()
    await page.waitForURL(/\/product\/(?!1$)\d+$/)
  })
})
