import { expect, it } from 'vitest'
import { DESKTOP, expectNoComplaints, journeys, PHONE, shopper, visit } from '#test/support/shopper.ts'

journeys('About', () => {
  it.each([PHONE, DESKTOP])('tells the story, $width pixels wide', async (viewport) => {
    const visitor = await shopper({ viewport })
    const { page } = visitor
    await visit(visitor, '/about')
    await page.getByRole('heading', { level: 1, name: 'Crafting Childhood Memories' }).waitFor()
    expect(await page.getByText('Where Quality Meets Playful Design').isVisible()).toBe(true)
    expect(await page.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual([
      'Kids: Adaptive Clothing',
      'Women: Mom & Me Collections',
      'Jewelry: Child-Safe Accessories',
      'Tech: Smart Nursery',
    ])
    const visionaries = page.getByRole('region', { name: '2025 Visionaries' })
    expect(
      (await visionaries.getByRole('listitem').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')),
    ).toEqual(['100k+ Happy Families', '54% Recycled Materials', '12 Design Awards'])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
    expectNoComplaints(visitor)
  })

  it('reads the same with scripts off', async () => {
    const { page } = await shopper({ javaScriptEnabled: false })
    await page.goto('/about')
    expect(await page.getByRole('heading', { level: 3 }).count()).toBe(4)
    await page.getByRole('link', { name: 'Contact', exact: true }).click()
    await page.waitForURL('**/contact')
  })
})
