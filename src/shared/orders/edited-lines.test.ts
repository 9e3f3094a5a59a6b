import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { catalogueSchema } from '#shared/catalogue/catalogue-schema.ts'
import { VAT_PERCENT } from '#shared/checkout/fees.ts'
import { calculateAgreedTotals, calculateCheckoutTotals } from '#shared/checkout/pricing.ts'
import { kshToCents } from '#shared/format.ts'
import items from '../../../public/Items.json'
import { applyLineEdits, calculateUnitChanges, type OrderLine } from './edited-lines.ts'

const catalogue = catalogueSchema.parse(items)
const romper: OrderLine = {
  ...{ productId: 1, title: 'Romper', size: '0–3 months', image: '/x.svg', qty: 2 },
  unitPriceCents: kshToCents(925),
}
const gone: OrderLine = { ...romper, productId: 999_999, title: 'Last season', size: null, qty: 1 }
const summary = (lines: readonly OrderLine[]) =>
  lines.map(({ productId, unitPriceCents, qty }) => [productId, unitPriceCents / 100, qty])

describe('the lines of an edited order', () => {
  it.each([
    ['unchanged', [{ id: 1, qty: 2 }], [[1, 925, 2]]],
    ['fewer units', [{ id: 1, qty: 1 }], [[1, 925, 1]]],
    [
      'more units',
      [{ id: 1, qty: 3 }],
      [
        [1, 925, 2],
        [1, 1850, 1],
      ],
    ],
    ['another size', [{ id: 101, qty: 2 }], [[101, 1850, 2]]],
    [
      'one unit in another size',
      [
        { id: 1, qty: 1 },
        { id: 101, qty: 1 },
      ],
      [
        [1, 925, 1],
        [101, 1850, 1],
      ],
    ],
    [
      'an added item',
      [
        { id: 1, qty: 2 },
        { id: 5, qty: 1 },
      ],
      [
        [1, 925, 2],
        [5, 1450, 1],
      ],
    ],
    [
      'a removed item',
      [
        { id: 1, qty: 0 },
        { id: 5, qty: 1 },
      ],
      [[5, 1450, 1]],
    ],
  ])('keep the agreed price of units already ordered: %s', (_, requested, expected) => {
    const edited = applyLineEdits([romper], requested, catalogue)
    expect(edited.ok && summary(edited.lines)).toEqual(expected)
  })

  it('stay one line if the added units cost the agreed price', () => {
    const agreed = { ...romper, unitPriceCents: kshToCents(1850) }
    const edited = applyLineEdits([agreed], [{ id: 1, qty: 5 }], catalogue)
    expect(edited.ok && summary(edited.lines)).toEqual([[1, 1850, 5]])
  })

  it('can keep items that are no longer sold, but not gain units of them', () => {
    expect(applyLineEdits([gone], [{ id: gone.productId, qty: 1 }], catalogue)).toMatchObject({ ok: true })
    expect(applyLineEdits([gone], [{ id: gone.productId, qty: 2 }], catalogue)).toEqual({
      ok: false,
      unavailable: ['Last season'],
    })
  })

  it('have the requested units, and change the stock by exactly the difference', () => {
    const lines = fc.array(fc.record({ id: fc.constantFrom(1, 101, 5, 6), qty: fc.nat({ max: 4 }) }))
    const units = (all: readonly { id: number; qty: number }[], id: number) =>
      all.filter((line) => line.id === id).reduce((sum, { qty }) => sum + qty, 0)
    fc.assert(
      fc.property(lines, lines, (first, second) => {
        const before = applyLineEdits([], first, catalogue)
        const after = before.ok ? applyLineEdits(before.lines, second, catalogue) : before
        if (!before.ok || !after.ok) throw new Error('Every item is sold.')
        const changes = calculateUnitChanges(before.lines, after.lines)
        for (const id of [1, 101, 5, 6]) {
          const now = after.lines.map(({ productId, qty }) => ({ id: productId, qty }))
          expect(units(now, id)).toBe(units(second, id))
          const change = changes.find(({ itemId }) => itemId === id)?.units ?? 0
          expect(units(first, id) + change).toBe(units(second, id))
        }
      }),
    )
  })
})

describe('the totals of an edited order', () => {
  it('equal those of checkout under the same terms', () => {
    const terms = { kind: 'percent', value: 10, minimumSubtotalCents: 0 } as const
    const lines = [{ price: 333.33, qty: 2 }]
    const expected = calculateCheckoutTotals(lines, terms)
    const agreed = { shippingCents: expected.shippingCents, vatPercent: VAT_PERCENT }
    expect(calculateAgreedTotals(lines, terms, agreed)).toEqual(expected)
  })

  it('keep the agreed shipping and VAT rate, and apply the promo code’s minimum', () => {
    const terms = { kind: 'fixed', value: 20_000, minimumSubtotalCents: 100_000 } as const
    const agreed = { shippingCents: 25_000, vatPercent: 14 }
    expect(calculateAgreedTotals([{ price: 2000, qty: 1 }], terms, agreed)).toMatchObject({
      ...{ discountCents: 20_000, shippingCents: 25_000, vatCents: 25_200, totalCents: 230_200 },
    })
    expect(calculateAgreedTotals([{ price: 500, qty: 1 }], terms, agreed)).toMatchObject({ discountCents: 0 })
  })
})
