import { expect, it } from 'vitest'
import { DESKTOP, expectNoComplaints, journeys, scrollTo, shopper, visit } from '#test/support/shopper.ts'

journeys('addresses with a hash', () => {
  it('lead to their element and give it focus, on a full load, inside a page, and from another page', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/product/1#also')
    await page.waitForFunction(() => document.activeElement?.id === 'also')
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(300)

    await scrollTo(page, 0)
    await page.evaluate(() => {
      const link = document.createElement('a')
      link.href = '#also'
      document.querySelector('main')?.appendChild(link)
      link.click()
    })
    await page.waitForFunction(() => scrollY > 300 && document.activeElement?.id === 'also')

    await page.evaluate(() => {
      const link = document.createElement('a')
      link.href = '/product/2#also'
      document.querySelector('main')?.appendChild(link)
      link.click()
    })
    await page.getByRole('heading', { name: 'Kikoi Wrap Dress' }).waitFor()
    await page.waitForFunction(() => scrollY > 300 && document.activeElement?.id === 'also')
    expectNoComplaints(visitor)
  })

  it('lead from the footer to sections that are fetched when they are needed', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/contact#returns')
    await page.waitForFunction(() => document.activeElement?.id === 'returns')
    await page.getByRole('navigation', { name: 'Information' }).getByRole('link', { name: 'Privacy' }).click()
    await page.waitForFunction(() => scrollY > 300 && document.activeElement?.id === 'privacy')
    await page
      .getByRole('navigation', { name: 'Information' })
      .getByRole('link', { name: 'Delivery' })
      .click()
    await page.waitForFunction(() => document.activeElement?.id === 'delivery')
    expectNoComplaints(visitor)
  })

  it('skip the navigation by keyboard', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/products')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.activeElement?.id === 'main')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.closest('.shop') !== null)).toBe(true)
    expectNoComplaints(visitor)
  })

  it('may be typed by hand, and gone back from', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/product/1')
    await page.evaluate(() => {
      location.hash = '#also'
    })
    await page.waitForFunction(() => scrollY > 300 && document.activeElement?.id === 'also')
    await page.goBack()
    await page.waitForFunction(() => scrollY === 0)
    expectNoComplaints(visitor)
  })

  it('lead to the top of the page when they name nothing and the link is to where the shopper is', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/products')
    await scrollTo(page, 1000)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Shop' }).click()
    await page.waitForFunction(() => scrollY === 0)
    expectNoComplaints(visitor)
  })
})
