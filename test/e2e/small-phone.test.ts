import { expect, it } from 'vitest'
import { shop } from '#shared/shop.ts'
import { listHorizontalOverflow } from '#test/support/page-checks.ts'
import {
  blockRequests,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  PHONE_VIEWPORT,
  visit,
  waitForHydration,
} from '#test/support/shopper.ts'
import { openSignedInShopper, readStored, storedLine } from '#test/support/signed-in-shopper.ts'

function countTextLines(elements: Element[]): number[] {
  return elements.map((element) => {
    const range = new Range()
    range.selectNodeContents(element)
    return new Set(Array.from(range.getClientRects(), ({ top }) => top)).size
  })
}

journeys('a small phone', () => {
  it("shows a product's picture, at least 300 pixels wide if there is room, and its title, price, stock and buttons, without scrolling", async () => {
    const visitor = await openShopper({ viewport: PHONE_VIEWPORT })
    const { page } = visitor
    await visit(visitor, '/product/1')
    for (const path of [
      '/product/1',
      '/product/7',
      '/product/12',
      '/product/30',
      '/product/44',
      '/product/63',
    ]) {
      await page.evaluate((to) => window.navigation.navigate(to).finished, path)
      const lowest = page.locator('.product__stock, .product__price').last()
      const hasSizes = (await page.locator('.sizes').count()) > 0
      const add = page.locator('.product__actions .button').first()
      const [lowestBox, addBox] = [await lowest.boundingBox(), await add.boundingBox()]
      const bar = await page.locator('.product__actions').boundingBox()
      if (!lowestBox || !addBox || !bar) throw new Error(`${path}: There is no price or button.`)
      const picture = await page.locator('.product__images a').first().boundingBox()
      if (!picture) throw new Error(`${path}: There is no picture.`)
      const needsRoom = '.product__stock, [class*=product__detail--]'
      const hasRoom = (await page.locator(needsRoom).count()) === 0
      if (!hasSizes && hasRoom)
        expect([picture.x, picture.width], path).toEqual([16, PHONE_VIEWPORT.width - 32])
      expect(picture.width, path).toBeGreaterThanOrEqual(hasRoom ? 300 : 227)
      expect(picture.height / picture.width, 'at most 10% lower than 4:5').toBeGreaterThan(1.12)
      expect(picture.x + picture.width / 2, 'in the middle').toBeCloseTo(PHONE_VIEWPORT.width / 2, 0)
      expect(lowestBox.y + lowestBox.height, path).toBeLessThan(bar.y)
      for (const text of await page.locator('.product__size b').all()) {
        const textBox = await text.boundingBox()
        expect((textBox?.y ?? PHONE_VIEWPORT.height) + (textBox?.height ?? 0), path).toBeLessThanOrEqual(
          addBox.y,
        )
      }
      expect(addBox.y + addBox.height, path).toBeLessThanOrEqual(PHONE_VIEWPORT.height)
    }
    await page.evaluate(() => {
      const announcement = Object.assign(document.createElement('aside'), { className: 'announcement' })
      announcement.textContent = 'We’re closed 24–26 December. Orders placed now are sent on 27 December.'
      document.querySelector('#root')?.insertAdjacentElement('beforebegin', announcement)
    })
    await page.evaluate((to) => window.navigation.navigate(to).finished, '/product/1')
    const [secondRow, actions] = [page.locator('.sizes .chip').last(), page.locator('.product__actions')]
    const [rowBox, actionsBox] = [await secondRow.boundingBox(), await actions.boundingBox()]
    expect((rowBox?.y ?? Infinity) + (rowBox?.height ?? 0), 'with an announcement').toBeLessThanOrEqual(
      actionsBox?.y ?? 0,
    )
    expectNoConsoleErrors(visitor)
  })

  it('shows the first sizes of a product above the sticky bar, with a notice, a greeting, a long title and a stock note', async () => {
    const visitor = await openSignedInShopper({ viewport: PHONE_VIEWPORT })
    const { page } = visitor
    await visit(visitor, '/product/1')
    await page
      .locator('.bar > [role=status]:empty')
      .first()
      .evaluate((region) => {
        const notice = Object.assign(document.createElement('p'), { className: 'banner' })
        notice.style.height = '3rem'
        region.appendChild(notice)
      })
    for (const path of ['/product/1', '/product/4', '/product/30', '/product/37']) {
      await page.evaluate((to) => window.navigation.navigate(to).finished, path)
      await page.evaluate(() => {
        if (document.querySelector('.product__stock')) return
        const stock = Object.assign(document.createElement('p'), { className: 'product__stock' })
        stock.textContent = 'Only 2 left in stock'
        document.querySelector('.product__figures')?.appendChild(stock)
      })
      for (const width of [360, 390]) {
        await page.setViewportSize({ width, height: 740 })
        const size = await page.locator('.sizes .chip').first().boundingBox()
        const bar = await page.locator('.product__actions').boundingBox()
        expect((size?.y ?? Infinity) + (size?.height ?? 0), `${path} at ${width}`).toBeLessThanOrEqual(
          bar?.y ?? 0,
        )
      }
    }
    expectNoConsoleErrors(visitor)
  })

  it('shows the prices of the first row of products without scrolling, also of search results and with filters', async () => {
    const visitor = await openShopper({ viewport: PHONE_VIEWPORT })
    const { page } = visitor
    for (const path of ['/products', '/products?q=dress', '/products?for=Kids&min=1000&max=5000']) {
      await visit(visitor, path)
      const prices = page.locator('.grid').first().locator('> li:nth-child(-n + 2) b')
      expect(await prices.count(), path).toBe(2)
      for (const price of await prices.all()) {
        const box = await price.boundingBox()
        expect((box?.y ?? PHONE_VIEWPORT.height) + (box?.height ?? 0), path).toBeLessThanOrEqual(
          PHONE_VIEWPORT.height,
        )
      }
    }
    expectNoConsoleErrors(visitor)
  })

  it('marks buttons as loading until hydration on a slow connection, then clicks a tapped one, not a focused one', async () => {
    const visitor = await openShopper({ reducedMotion: 'no-preference' })
    const { page } = visitor
    const add = page.locator('.product__actions').getByRole('button', { name: 'Add to Cart' })
    const style = () =>
      add.evaluate((button) => {
        const { backgroundImage, opacity } = getComputedStyle(button)
        return [backgroundImage === 'none' ? 'plain' : 'striped', opacity]
      })
    const openUnhydrated = async () => {
      const sendScript = await blockRequests(page, '**/assets/entry-*.js')
      await page.goto('/product/1', { waitUntil: 'commit' })
      await expect.poll(style).toEqual(['striped', '1'])
      return sendScript
    }
    const sendFirst = await openUnhydrated()
    await page.keyboard.press('Tab')
    await add.focus()
    expect(await add.evaluate((button) => button.matches(':focus-visible'))).toBe(true)
    sendFirst()
    await waitForHydration(page)
    await expect.poll(style).toEqual(['plain', '1'])
    expect(await page.locator('.bar__cart .badge').count()).toBe(0)

    const sendSecond = await openUnhydrated()
    await page.locator('.chip', { hasText: '0–3 months' }).click()
    await add.click()
    sendSecond()
    await page.locator('.bar__cart .badge', { hasText: '1 item' }).waitFor()
    await expect.poll(style).toEqual(['plain', '1'])
    expect(await readStored(page, 'cart')).toMatchObject([{ id: 1, qty: 1, size: '0–3 months' }])
    expect(await readStored(page, 'cart')).not.toHaveProperty('0.isSizeAssumed')
    expectNoConsoleErrors(visitor)
  })

  it('shows a focused size above the buttons, in landscape, on a small screen and in large text', async () => {
    const visitor = await openShopper({ viewport: PHONE_VIEWPORT })
    const { page } = visitor
    const listHiddenSizes = () =>
      page.locator('.sizes .chip').evaluateAll((chips) =>
        chips
          .filter((chip) => {
            window.scrollTo({ top: 0, behavior: 'instant' })
            chip.querySelector('input')?.focus()
            const { left, right, top, bottom } = chip.getBoundingClientRect()
            const x = (left + right) / 2
            const isCovered = [top + 3, bottom - 3].some(
              (y) => !chip.contains(document.elementFromPoint(x, y)),
            )
            return isCovered || right > innerWidth
          })
          .map((chip) => chip.textContent),
      )
    for (const path of ['/product/57', '/product/191']) {
      await visit(visitor, path)
      for (const [width, height, textSize] of [
        [360, 740, '100%'],
        [740, 360, '100%'],
        [320, 568, '100%'],
        [180, 370, '100%'],
        [360, 740, '200%'],
      ] as const) {
        await page.setViewportSize({ width, height })
        await page.evaluate((size) => {
          document.documentElement.style.fontSize = size
        }, textSize)
        const label = `${path}, ${width} × ${height}, text at ${textSize}`
        expect(await page.locator('.sizes .chip').count(), label).toBeGreaterThan(2)
        expect(await listHiddenSizes(), label).toEqual([])
      }
    }
    expectNoConsoleErrors(visitor)
  })

  it('has no sticky bars beside the navigation in large text, keeps its search link, and breaks no size at its hyphen', async () => {
    const visitor = await openSignedInShopper({ cart: [storedLine(0)], viewport: PHONE_VIEWPORT })
    const { page } = visitor
    for (const [path, bar, sizes] of [
      ['/products', '.shop__bar', '.grid > li > span'],
      ['/product/30', '.product__actions', '.product__size .unbroken'],
      ['/cart', '.cart__bottom', undefined],
    ] as const) {
      await visit(visitor, path)
      const readPosition = () => page.locator(bar).evaluate((element) => getComputedStyle(element).position)
      expect(await readPosition(), path).toBe('sticky')
      await page.evaluate(() => {
        document.documentElement.style.fontSize = '200%'
      })
      expect(await readPosition(), path).toBe('static')
      const search = await page.getByRole('link', { name: 'Search' }).boundingBox()
      const menu = await page.getByRole('button', { name: 'Open menu' }).boundingBox()
      expect(search?.width, path).toBeGreaterThanOrEqual(44)
      expect((menu?.x ?? 0) + (menu?.width ?? Infinity), path).toBeLessThanOrEqual(PHONE_VIEWPORT.width)
      const lineCounts = sizes && (await page.locator(sizes).evaluateAll(countTextLines))
      if (lineCounts) expect(new Set(lineCounts), path).toEqual(new Set([1]))
    }
    const image = await page.locator('.cart-line__image').boundingBox()
    const title = await page.locator('.cart-line h3').boundingBox()
    expect(title?.y, 'below the picture').toBeGreaterThan(
      (image?.y ?? 0) + (image?.height ?? PHONE_VIEWPORT.height),
    )
    expectNoConsoleErrors(visitor)
  })

  it('needs no sideways scrolling if a style sheet doubles the text size', async () => {
    const visitor = await openSignedInShopper({ cart: [storedLine(0)], viewport: PHONE_VIEWPORT })
    const { page } = visitor
    await visit(visitor, '/')
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%'
    })
    for (const path of [
      '/',
      '/products',
      '/product/30',
      '/about',
      '/contact',
      '/cart',
      '/checkout',
      '/order',
      '/dashboard',
      '/login',
      '/register',
    ]) {
      await page.evaluate((to) => window.navigation.navigate(to).finished, path)
      await page.locator('main h1').waitFor()
      if (path === '/checkout') await page.getByRole('radio').first().waitFor()
      expect(await listHorizontalOverflow(page), path).toEqual([])
    }
    expectNoConsoleErrors(visitor)
  })

  it('closes the menu and animates the bar while a page or dialog is loading, and shows the whole menu in landscape', async () => {
    const visitor = await openShopper({ reducedMotion: 'no-preference' })
    const { page } = visitor
    const sendScript = await blockRequests(page, '**/assets/about-page-*.js')
    await visit(visitor, '/contact')
    const readBarAnimation = () =>
      page.evaluate(
        () => getComputedStyle(document.querySelector('.bar') as Element, '::after').animationName,
      )
    expect(await readBarAnimation()).toBe('none')
    await page.getByRole('button', { name: 'Open menu' }).click()
    await page.locator('#menu').getByRole('link', { name: 'Story' }).click()
    await expect.poll(readBarAnimation).toBe('hem')
    expect(await page.locator('#menu').isVisible()).toBe(false)
    sendScript()
    await page.getByRole('heading', { name: 'Our philosophy' }).waitFor()
    expect(await readBarAnimation()).toBe('none')

    const sendGuide = await blockRequests(page, '**/assets/size-guide-*.js')
    await visit(visitor, '/product/1')
    await page.getByRole('link', { name: 'Size guide' }).click()
    await expect.poll(readBarAnimation, { message: 'while a dialog is loading' }).toBe('hem')
    sendGuide()
    await page.getByRole('button', { name: 'Close' }).click()
    expect(await readBarAnimation()).toBe('none')

    await page.setViewportSize({ width: 740, height: 360 })
    expect(await page.locator('.bar').evaluate((bar) => getComputedStyle(bar).position)).toBe('static')
    await page.getByRole('button', { name: 'Open menu' }).click()
    const menu = page.locator('#menu')
    await menu.evaluate((element) => Promise.all(element.getAnimations().map(({ finished }) => finished)))
    const login = await menu.getByRole('link', { name: 'Login' }).boundingBox()
    if (!login) throw new Error('There is no link to Login.')
    expect(await menu.evaluate((element) => element.scrollHeight - element.clientHeight)).toBe(0)
    expect(login.y + login.height).toBeLessThanOrEqual(360 - 24)
    expectNoConsoleErrors(visitor)
  })

  it('fetches smaller pictures and no fonts, decorations or prefetches under Save-Data', async () => {
    const visitor = await openShopper({ extraHTTPHeaders: { 'Save-Data': 'on' }, profile: {} })
    const { page } = visitor
    const fetched: string[] = []
    page.on('request', (request) => fetched.push(new URL(request.url()).pathname))
    await visit(visitor, '/products?category=Toys')
    await page.getByRole('link', { name: 'Mom & Baby' }).hover()
    await page.getByRole('link', { name: 'Buy Now' }).first().hover()
    await page.waitForLoadState('networkidle')
    expect(fetched.filter((path) => /woff2|weave|Items\.json|product-page/.test(path))).toEqual([])

    // Pictures must also be small on pages opened inside the app, where the catalogue is cached.
    await page.getByRole('link', { name: 'Buy Now' }).first().click()
    await page.getByRole('link', { name: 'Go to Cart' }).waitFor()
    await page.getByRole('link', { name: shop.name }).click()
    await page.locator('.hero__art img').scrollIntoViewIfNeeded()
    await page.waitForLoadState('networkidle')
    const pictures = fetched.filter((path) => path.startsWith('/p/'))
    expect(pictures.length).toBeGreaterThan(4)
    expect(pictures.filter((path) => !/\/(200|320)\.avif$/.test(path))).toEqual([])
    expectNoConsoleErrors(visitor)
  })
})
