import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cart, MAX_CART_LINES, MAX_QTY } from './cart.ts'
import { fittingLines, withLines, withoutUnits } from './cart-moves.ts'

const line = (id: number, qty: number) => ({
  id,
  qty,
  title: `P${id}`,
  description: '',
  price: 1,
  image: '/x.svg',
})
const brief = (cart: Cart) => cart.map(({ id, qty }) => `${qty} of ${id}`)

const anyCart = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 1, max: MAX_QTY })), {
    selector: ([id]) => id,
    maxLength: MAX_CART_LINES,
  })
  .map((pairs): Cart => pairs.map(([id, qty]) => line(id, qty)))

const unitsOf = (cart: Cart) => cart.reduce((sum, { qty }) => sum + qty, 0)

describe('moving lines between lists', () => {
  it('puts units of the same product on one line', () => {
    expect(brief(withLines([line(1, 2), line(2, 1)], [line(2, 3), line(3, 1)]))).toEqual([
      '2 of 1',
      '4 of 2',
      '1 of 3',
    ])
  })

  it('leaves behind what does not fit', () => {
    expect(brief(fittingLines([line(1, MAX_QTY - 1)], [line(1, 5)]))).toEqual(['1 of 1'])
    const full = Array.from({ length: MAX_CART_LINES }, (_, index) => line(index + 1, 1))
    expect(brief(fittingLines(full, [line(500, 1), line(1, 1)]))).toEqual(['1 of 1'])
  })

  it('takes units away, and the line with the last', () => {
    expect(brief(withoutUnits([line(1, 2), line(2, 1)], [line(1, 1), line(2, 5), line(9, 1)]))).toEqual([
      '1 of 1',
    ])
  })

  it('never loses or makes a unit, and keeps the limits', () => {
    fc.assert(
      fc.property(anyCart, anyCart, (from, to) => {
        const moved = fittingLines(to, from)
        const [left, right] = [withoutUnits(from, moved), withLines(to, moved)]
        expect(unitsOf(left) + unitsOf(right)).toBe(unitsOf(from) + unitsOf(to))
        expect(right.length).toBeLessThanOrEqual(MAX_CART_LINES)
        for (const { qty } of right) expect(qty).toBeLessThanOrEqual(MAX_QTY)
      }),
    )
  })
})
