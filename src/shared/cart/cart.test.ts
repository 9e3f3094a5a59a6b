import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addUnit, type Cart, getAddResult, MAX_CART_LINES, MAX_QTY, PLACEHOLDER_IMAGE } from './cart.ts'
import { changeSize, limitToRoom, mergeLines, removeLine, removeUnit, removeUnits } from './cart-lines.ts'
import { parseStoredCart } from './cart-schema.ts'

const romper = {
  id: 1,
  title: 'Organic Cotton Romper',
  description: 'Soft.',
  price: 1250,
  image: '/images/romper.svg',
}
const rattle = {
  id: 2,
  title: 'Sisal Rattle',
  description: 'Light.',
  price: 450.5,
  image: '/images/rattle.svg',
}

/** The steps use few product ids, so that they affect the same lines. */
const steps = fc.array(
  fc.oneof(
    fc.record({ action: fc.constant('add'), id: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ action: fc.constant('removeUnit'), id: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ action: fc.constant('removeLine'), id: fc.integer({ min: 1, max: 5 }) }),
  ),
  { maxLength: 200 },
)

function applyStep(cart: Cart, { action, id }: { action: string; id: number }): Cart {
  if (action === 'add') return addUnit(cart, { ...romper, id })
  return action === 'removeUnit' ? removeUnit(cart, id) : removeLine(cart, id)
}

describe('the cart', () => {
  it('adds a line with one unit, then adds units to it', () => {
    const cart = [romper, rattle, romper].reduce<Cart>(addUnit, [])
    expect(cart).toEqual([
      { ...romper, qty: 2 },
      { ...rattle, qty: 1 },
    ])
  })

  it('removes units one by one, and the line with its last unit', () => {
    const two = addUnit(addUnit([], romper), romper)
    expect(removeUnit(two, 1)).toEqual([{ ...romper, qty: 1 }])
    expect(removeUnit(removeUnit(two, 1), 1)).toEqual([])
    expect(removeUnit(two, 99)).toEqual(two)
  })

  it('updates the price and title when a product is added again', () => {
    const cart = addUnit(addUnit([], romper), { ...romper, price: 1400, title: 'Romper' })
    expect(cart).toEqual([{ ...romper, price: 1400, title: 'Romper', qty: 2 }])
  })

  it('does not grow beyond its limits', () => {
    const fullLine: Cart = [{ ...romper, qty: MAX_QTY }]
    expect(getAddResult(fullLine, romper)).toBe('line-full')
    expect(addUnit(fullLine, romper)).toBe(fullLine)
    const fullCart: Cart = Array.from({ length: MAX_CART_LINES }, (_, n) => ({
      ...romper,
      id: n + 1,
      qty: 1,
    }))
    expect(getAddResult(fullCart, { id: 5000 })).toBe('cart-full')
    expect(addUnit(fullCart, { ...romper, id: 5000 })).toBe(fullCart)
    expect(getAddResult(fullCart, romper)).toBe('added')
  })

  it('always has one line per id with a valid quantity', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const cart = all.reduce<Cart>(applyStep, [])
        expect(new Set(cart.map(({ id }) => id)).size).toBe(cart.length)
        for (const { qty } of cart) expect(qty).toSatisfy((n: number) => n >= 1 && n <= MAX_QTY)
      }),
    )
  })

  it('contains the units added minus those removed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MAX_QTY }), fc.nat({ max: MAX_QTY }), (adds, removals) => {
        let cart: Cart = []
        for (let n = 0; n < adds; n++) cart = addUnit(cart, romper)
        for (let n = 0; n < removals; n++) cart = removeUnit(cart, romper.id)
        expect(cart[0]?.qty ?? 0).toBe(Math.max(0, adds - removals))
        expect(removeLine(cart, romper.id)).toEqual([])
      }),
    )
  })
})

describe('a stored cart', () => {
  it('is read back unchanged', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const cart = all.reduce<Cart>(applyStep, [])
        expect(parseStoredCart(JSON.stringify(cart))).toEqual(cart)
      }),
    )
  })

  it('yields only valid lines and never throws, for any stored text', () => {
    const line = fc.record(
      {
        id: fc.oneof(fc.integer(), fc.double(), fc.string()),
        title: fc.oneof(fc.string(), fc.integer()),
        name: fc.string(),
        price: fc.oneof(fc.integer(), fc.double(), fc.string()),
        qty: fc.oneof(fc.integer({ min: -3, max: 120 }), fc.double(), fc.string()),
        image: fc.anything(),
      },
      { requiredKeys: [] },
    )
    const storedCarts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.array(line).map((lines) => JSON.stringify(lines)),
    )
    fc.assert(
      fc.property(storedCarts, (text) => {
        for (const { id, title, price, qty } of parseStoredCart(text)) {
          expect(id, 'id').toSatisfy((n: number) => Number.isSafeInteger(n) && n > 0)
          expect(title).not.toBe('')
          expect(price, 'price').toBeGreaterThanOrEqual(0)
          expect(qty, 'qty').toSatisfy((n: number) => Number.isInteger(n) && n >= 1 && n <= MAX_QTY)
        }
      }),
    )
  })

  it.each([
    ['a negative quantity', { ...romper, qty: -1 }],
    ['no quantity', romper],
    ['half a unit', { ...romper, qty: 0.5 }],
    ['more units than the limit', { ...romper, qty: MAX_QTY + 1 }],
    ['a negative price', { ...romper, price: -5, qty: 1 }],
    ['a huge price', { ...romper, price: 1e15, qty: 1 }],
    ['a price as text', { ...romper, price: '1250', qty: 1 }],
    ['a fraction of a cent', { ...romper, price: 12.345, qty: 1 }],
    ['no id', { ...romper, id: undefined, qty: 1 }],
    ['neither title nor name', { ...romper, title: ' ', qty: 1 }],
    ['no fields at all', null],
  ])('drops a line with %s and keeps the others', (_, invalid) => {
    const valid = { ...rattle, qty: 3 }
    expect(parseStoredCart(JSON.stringify([invalid, valid]))).toEqual([valid])
  })

  it('falls back to the name for a missing title and repairs display fields', () => {
    const text = JSON.stringify([{ id: 7, name: 'Kiondo Basket', price: 900, qty: 2, image: 'javascript:1' }])
    expect(parseStoredCart(text)).toEqual([
      { id: 7, title: 'Kiondo Basket', description: '', price: 900, image: PLACEHOLDER_IMAGE, qty: 2 },
    ])
  })

  it('keeps the first of several lines with the same id', () => {
    const lines = [
      { ...romper, qty: 2 },
      { ...romper, qty: 9 },
    ]
    expect(parseStoredCart(JSON.stringify(lines))).toEqual([lines[0]])
  })

  it('is truncated to its limits', () => {
    const lines = Array.from({ length: 50_000 }, (_, n) => ({ ...romper, id: n + 1, qty: 1 }))
    expect(parseStoredCart(JSON.stringify(lines))).toHaveLength(MAX_CART_LINES)
    const [long] = parseStoredCart(JSON.stringify([{ ...romper, title: 'x'.repeat(1e6), qty: 1 }]))
    expect(long?.title.length).toBeLessThan(1000)
  })
})

const line = (id: number, qty: number) => ({
  id,
  qty,
  title: `P${id}`,
  description: '',
  price: 1,
  image: '/x.svg',
})
const formatLines = (cart: Cart) => cart.map(({ id, qty }) => `${qty} of ${id}`)

const anyCart = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 1, max: MAX_QTY })), {
    selector: ([id]) => id,
    maxLength: MAX_CART_LINES,
  })
  .map((pairs): Cart => pairs.map(([id, qty]) => line(id, qty)))

const unitsOf = (cart: Cart) => cart.reduce((sum, { qty }) => sum + qty, 0)

describe('cart lines', () => {
  it('of the same product are merged', () => {
    expect(formatLines(mergeLines([line(1, 2), line(2, 1)], [line(2, 3), line(3, 1)]))).toEqual([
      '2 of 1',
      '4 of 2',
      '1 of 3',
    ])
  })

  it('are added without the units beyond the limits', () => {
    expect(formatLines(limitToRoom([line(1, MAX_QTY - 1)], [line(1, 5)]))).toEqual(['1 of 1'])
    const full = Array.from({ length: MAX_CART_LINES }, (_, index) => line(index + 1, 1))
    expect(formatLines(limitToRoom(full, [line(500, 1), line(1, 1)]))).toEqual(['1 of 1'])
  })

  it('lose the removed units, and are removed when none are left', () => {
    expect(formatLines(removeUnits([line(1, 2), line(2, 1)], [line(1, 1), line(2, 5), line(9, 1)]))).toEqual([
      '1 of 1',
    ])
  })

  it('keep the same number of units when moved between carts, and stay within the limits', () => {
    fc.assert(
      fc.property(anyCart, anyCart, (from, to) => {
        const moved = limitToRoom(to, from)
        const [left, right] = [removeUnits(from, moved), mergeLines(to, moved)]
        expect(unitsOf(left) + unitsOf(right)).toBe(unitsOf(from) + unitsOf(to))
        expect(right.length).toBeLessThanOrEqual(MAX_CART_LINES)
        for (const { qty } of right) expect(qty).toBeLessThanOrEqual(MAX_QTY)
      }),
    )
  })
})

const sized = (id: number) => ({ ...romper, id, size: `EU ${id}`, price: id * 10 })

describe('changing a size', () => {
  const anySizes = fc.tuple(anyCart, fc.integer({ min: 1, max: 150 }), fc.integer({ min: 1, max: 150 }))

  it('merges two lines that become the same size, and adds up their units', () => {
    const cart: Cart = [
      { ...sized(36), qty: 2 },
      { ...rattle, qty: 1 },
      { ...sized(37), isSizeAssumed: true, qty: 3 },
    ]
    expect(changeSize(cart, 37, sized(36))).toEqual([
      { ...rattle, qty: 1 },
      { ...sized(36), qty: 5 },
    ])
    expect(changeSize(cart, 36, sized(38))).toEqual([{ ...sized(38), qty: 2 }, ...cart.slice(1)])
  })

  it('keeps the number of units, the limits, one line per id and all other lines', () => {
    fc.assert(
      fc.property(anySizes, ([cart, from, to]) => {
        const changed = changeSize(cart, from, sized(to))
        expect(unitsOf(changed)).toBe(unitsOf(cart))
        expect(new Set(changed.map(({ id }) => id)).size).toBe(changed.length)
        for (const { qty } of changed) expect(qty).toSatisfy((n: number) => n >= 1 && n <= MAX_QTY)
        const others = (lines: Cart) => lines.filter(({ id }) => id !== from && id !== to)
        expect(others(changed)).toEqual(others(cart))
        const [before, after] = [cart, changed].map((lines) => lines.find(({ id }) => id === to)?.qty ?? 0)
        const moved = from === to ? 0 : (cart.find(({ id }) => id === from)?.qty ?? 0)
        expect(after).toBe(Math.min(MAX_QTY, (before ?? 0) + moved))
      }),
    )
  })
})

it('an assumed size is confirmed when the shopper selects or adds it, but not when it is assumed again', () => {
  const cart: Cart = [{ ...sized(36), isSizeAssumed: true, qty: 2 }]
  expect(changeSize(cart, 36, sized(36))).toEqual([{ ...sized(36), qty: 2 }])
  expect(addUnit(cart, sized(36))).toEqual([{ ...sized(36), qty: 3 }])
  expect(addUnit(cart, { ...sized(36), isSizeAssumed: true })[0]?.isSizeAssumed).toBe(true)
  expect(addUnit([{ ...sized(36), qty: 1 }], { ...sized(36), isSizeAssumed: true })).toEqual([
    { ...sized(36), qty: 2 },
  ])
})
