import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_CART_LINES, MAX_QTY } from '#shared/cart/cart.ts'
import {
  calculateCartTotals,
  calculateCheckoutTotals,
  calculateDiscountCents,
  calculateFreeShippingGapKsh,
  calculateSubtotalCents,
  type DiscountTerms,
  hasFreeShipping,
  type OrderTotals,
  type PricedLine,
} from './pricing.ts'

const singleLine = (price: number): PricedLine[] => [{ price, qty: 1 }]
const percent = (value: number, minimumSubtotalCents = 0): DiscountTerms => ({
  kind: 'percent',
  value,
  minimumSubtotalCents,
})

const anyPrice = fc.integer({ min: 0, max: 100_000_00 }).map((cents) => cents / 100)
const anyLines = fc.array(fc.record({ price: anyPrice, qty: fc.integer({ min: 1, max: MAX_QTY }) }), {
  maxLength: MAX_CART_LINES,
})
const anyTerms: fc.Arbitrary<DiscountTerms | undefined> = fc.option(
  fc.oneof(
    fc.record({
      kind: fc.constant('percent' as const),
      value: fc.integer({ min: 0, max: 100 }),
      minimumSubtotalCents: fc.nat(5_000_00),
    }),
    fc.record({
      kind: fc.constant('fixed' as const),
      value: fc.nat(1_000_000_00),
      minimumSubtotalCents: fc.nat(5_000_00),
    }),
  ),
  { nil: undefined },
)

const sumOf = (f: OrderTotals) =>
  f.subtotalCents - f.discountCents + f.shippingCents + f.vatCents + f.roundingCents

describe('cart totals', () => {
  it('add up to the displayed total for any cart', () => {
    fc.assert(
      fc.property(anyLines, anyTerms, (lines, terms) => {
        for (const totals of [calculateCartTotals(lines, terms), calculateCheckoutTotals(lines, terms)]) {
          expect(sumOf(totals)).toBe(totals.totalCents)
          for (const [name, cents] of Object.entries(totals))
            expect(cents, name).toSatisfy(Number.isSafeInteger)
        }
      }),
    )
  })

  it('are never negative, apart from the rounding, and the discount never exceeds the subtotal', () => {
    fc.assert(
      fc.property(anyLines, anyTerms, (lines, terms) => {
        for (const totals of [calculateCartTotals(lines, terms), calculateCheckoutTotals(lines, terms)]) {
          const { roundingCents, ...others } = totals
          for (const [name, cents] of Object.entries(others)) expect(cents, name).toBeGreaterThanOrEqual(0)
          expect(totals.discountCents).toBeLessThanOrEqual(totals.subtotalCents)
        }
      }),
    )
  })

  it('are rounded once at checkout, to the nearest shilling', () => {
    fc.assert(
      fc.property(anyLines, anyTerms, (lines, terms) => {
        const { subtotalCents, discountCents, shippingCents, totalCents } = calculateCheckoutTotals(
          lines,
          terms,
        )
        const taxed = BigInt(subtotalCents - discountCents)
        const exactHundredths = (taxed + BigInt(shippingCents)) * 100n + taxed * 16n
        expect(BigInt(totalCents)).toBe(((exactHundredths + 5000n) / 10000n) * 100n)
      }),
    )
  })

  it('are never higher at checkout than in the cart, apart from rounding', () => {
    fc.assert(
      fc.property(anyLines, anyTerms, (lines, terms) => {
        const cart = calculateCartTotals(lines, terms).totalCents
        expect(calculateCheckoutTotals(lines, terms).totalCents).toBeLessThanOrEqual(
          Math.round(cart / 100) * 100,
        )
      }),
    )
  })

  it('never rise with a promo code', () => {
    fc.assert(
      fc.property(anyLines, anyTerms, (lines, terms) => {
        expect(calculateCheckoutTotals(lines, terms).totalCents).toBeLessThanOrEqual(
          calculateCheckoutTotals(lines).totalCents,
        )
      }),
    )
  })

  it.each([
    ['a small cart', singleLine(500), { shippingCents: 30_00, vatCents: 80_00, totalCents: 610_00 }],
    [
      'a subtotal of exactly 1000',
      singleLine(1000),
      { shippingCents: 30_00, vatCents: 160_00, totalCents: 1190_00 },
    ],
    [
      'a subtotal above 1000',
      singleLine(1001),
      { shippingCents: 0, vatCents: 160_16, roundingCents: -16, totalCents: 1161_00 },
    ],
    [
      'a subtotal a cent above 1000',
      singleLine(1000.01),
      { shippingCents: 0, roundingCents: -1, totalCents: 1160_00 },
    ],
    ['a free product', singleLine(0), { shippingCents: 30_00, vatCents: 0, totalCents: 30_00 }],
    ['an empty cart', [], { shippingCents: 0, vatCents: 0, totalCents: 0 }],
  ])('are correct at checkout for %s', (_name, lines, expected) => {
    expect(calculateCheckoutTotals(lines)).toMatchObject(expected)
  })

  it('include KSH 50 for shipping in the cart, exact to the cent', () => {
    expect(calculateCartTotals(singleLine(251))).toEqual({
      subtotalCents: 251_00,
      discountCents: 0,
      shippingCents: 50_00,
      vatCents: 40_16,
      roundingCents: 0,
      totalCents: 341_16,
    })
  })

  it('are exact for prices that binary fractions cannot represent', () => {
    expect(calculateSubtotalCents([{ price: 1.1, qty: 3 }, ...singleLine(0.07), ...singleLine(19.99)])).toBe(
      23_36,
    )
  })
})

describe('a discount', () => {
  it('reduces VAT but does not affect free shipping', () => {
    expect(calculateCheckoutTotals(singleLine(1200), percent(50))).toMatchObject({
      discountCents: 600_00,
      shippingCents: 0,
      vatCents: 96_00,
      totalCents: 696_00,
    })
  })

  it.each([
    [
      'is zero below the minimum subtotal',
      1499_99,
      { kind: 'fixed', value: 200_00, minimumSubtotalCents: 1500_00 },
      0,
    ],
    [
      'applies at the minimum subtotal',
      1500_00,
      { kind: 'fixed', value: 200_00, minimumSubtotalCents: 1500_00 },
      200_00,
    ],
    ['is limited to the subtotal', 150_00, { kind: 'fixed', value: 200_00, minimumSubtotalCents: 0 }, 150_00],
    ['of 100% covers the subtotal', 333, percent(100), 333],
    ['is rounded to a cent', 333, percent(10), 33],
    ['is zero for an empty cart', 0, percent(10), 0],
  ] as const)('%s', (_name, subtotalCents, terms, expected) => {
    expect(calculateDiscountCents(subtotalCents, terms)).toBe(expected)
  })
})

describe('the free shipping hint', () => {
  it.each([
    [0, undefined],
    [500, undefined],
    [500.01, 500],
    [501, 500],
    [999.5, 1],
    [1000, 1],
    [1000.01, undefined],
    [1001, undefined],
  ])('at a subtotal of %d is %s', (subtotalKsh, gapKsh) => {
    expect(calculateFreeShippingGapKsh(Math.round(subtotalKsh * 100))).toBe(gapKsh)
  })

  it('names the smallest whole amount that makes shipping free', () => {
    fc.assert(
      fc.property(fc.integer({ min: 500_01, max: 1000_00 }), (subtotalCents) => {
        const gapKsh = calculateFreeShippingGapKsh(subtotalCents) ?? Number.NaN
        expect(hasFreeShipping(subtotalCents + gapKsh * 100)).toBe(true)
        expect(hasFreeShipping(subtotalCents + (gapKsh - 1) * 100)).toBe(false)
      }),
    )
  })
})
