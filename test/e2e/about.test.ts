import { expect, it } from 'vitest'
import { expectNoComplaints, journeys, shopper, visit } from '#test/support/shopper.ts'

journeys('About', () => {
  it('tells the story', async () => {
    const visitor = await shopper()
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
    expectNoComplaints(visitor)
  })
})
