import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAddToast, toCartProduct } from '#shared/cart/cart.ts'
import { CART_DESCRIPTION_CHARACTERS, formatAmount, formatKsh, parseKsh, truncate } from './format.ts'

describe('truncate', () => {
  it.each([
    ['Organic Cotton', 12, 'Organic Cott…'],
    ['Exactly 12 c', 12, 'Exactly 12 c'],
    ['Kanga Print Robe', 12, 'Kanga Print …'],
    ['', 12, ''],
    ['👶👶👶', 2, '👶👶…'],
  ])('limits "%s" to %i characters: "%s"', (text, length, truncated) => {
    expect(truncate(text, length)).toBe(truncated)
  })

  it('uses the given ellipsis', () => {
    expect(truncate('abcdef', 3, '...')).toBe('abc...')
  })

  it('never exceeds the length plus the ellipsis, and is idempotent', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 100 }), (text, length) => {
        const truncated = truncate(text, length)
        expect(Array.from(truncated).length).toBeLessThanOrEqual(
          Math.max(Array.from(text).length, length + 1),
        )
        expect(truncate(truncated, length)).toBe(truncated)
      }),
    )
  })
})

describe('a description in the cart', () => {
  const product = { id: 1, title: 'Romper', price: 100, image: '/x.svg' }
  const truncateForCart = (text: string) => truncate(text, CART_DESCRIPTION_CHARACTERS, '...')

  it.each(['y'.repeat(100), 'y'.repeat(101), '👶'.repeat(100), '👶'.repeat(101), `y${'👶'.repeat(150)}`])(
    'is displayed as if it were stored whole, although it is stored truncated: %s',
    (description) => {
      const { description: stored } = toCartProduct({ ...product, description })
      expect(truncateForCart(stored)).toBe(truncateForCart(description))
      expect(stored.isWellFormed()).toBe(true)
    },
  )
})

describe('a price', () => {
  it.each([
    [1250, 'KSH 1250'],
    [99.5, 'KSH 99.50'],
    [780.8, 'KSH 780.80'],
    [123456, 'KSH 123456'],
    [0.1 + 0.2, 'KSH 0.30'],
    [0, 'KSH 0'],
  ])('of %d is formatted as "%s"', (amount, text) => {
    expect(formatKsh(amount)).toBe(text)
    expect(`KSH ${formatAmount(amount)}`).toBe(text)
  })

  it('is parsed from its own format', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), (cents) => {
        expect(parseKsh(formatKsh(cents / 100))).toBe(cents / 100)
      }),
    )
  })
})

describe('the add-to-cart toast', () => {
  it('depends on where the button is and on the room in the cart', () => {
    expect(createAddToast('added', 'Romper', 'card')).toEqual({ kind: 'success', message: 'Added to cart' })
    expect(createAddToast('added', 'Romper', 'elsewhere').message).toBe('Added Romper to cart')
    expect(createAddToast('line-full', 'Romper', 'card').kind).toBe('info')
    expect(createAddToast('cart-full', 'Romper', 'elsewhere').message).toContain('full')
  })
})
