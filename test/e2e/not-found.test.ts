import { expect, it } from 'vitest'
import { hydrated, journeys, shopper } from '#test/support/shopper.ts'

journeys('the 404 page', () => {
  it('leads home and into every category', async () => {
    const { page, complaints } = await shopper()
    const response = await page.goto('/categories')
    await hydrated(page)
    expect(response?.status()).toBe(404)
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('404')
    expect(
      await page.getByText("Whoops! The page you're looking for seems to have vanished.").isVisible(),
    ).toBe(true)
    const categories = page.getByRole('navigation', { name: 'Or look around the shop' }).getByRole('link')
    expect(await categories.evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
      '/products',
      '/products?category=Clothing',
      '/products?category=Toys',
      '/products?category=Nursery',
      '/products?category=Feeding',
      '/products?category=Accessories',
      '/products?category=Mom+%26+Baby',
      '/products?category=Footwear',
    ])
    await page.getByRole('link', { name: 'Return Home' }).click()
    await page.waitForURL((url) => url.pathname === '/')
    // The browser itself reports the status of the page it was sent.
    expect(complaints).toEqual([expect.stringContaining('404')])
  })
})
