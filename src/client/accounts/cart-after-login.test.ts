import { createStore } from 'jotai'
import { describe, expect, it } from 'vitest'
import { messageBarAtom, parseLocation, viewAtom } from '#client/app/router/page.ts'
import { cartAtom } from '#client/cart/stored-cart.ts'
import { offerCartOnNextPage } from './cart-after-login.tsx'

const LINE = { id: 1, title: 'Romper', description: '', price: 900, image: '', qty: 2 }

function logIn({ isCartFilled = true } = {}) {
  const store = createStore()
  if (isCartFilled) void store.set(cartAtom, () => [LINE])
  offerCartOnNextPage(store)
  return store
}

function open(store: ReturnType<typeof createStore>, path: string) {
  const location = parseLocation(new URL(path, 'https://pamba.test'))
  store.set(viewAtom, { location, key: path, navigationType: 'push', element: null })
  return store.get(messageBarAtom)
}

describe('the link to the cart after a login', () => {
  it('shows on the first page only', () => {
    const store = logIn()
    expect(open(store, '/')).toMatchObject({ type: 'div' })
    expect(open(store, '/products')).toBe('')
    expect(open(store, '/')).toBe('')
  })

  it('shows neither for an empty cart nor if the login leads to the cart', () => {
    expect(open(logIn({ isCartFilled: false }), '/')).toBe('')
    const store = logIn()
    expect(open(store, '/cart')).toBe('')
    expect(open(store, '/')).toBe('')
  })

  it('leaves the message that the shopper is offline', () => {
    const store = logIn()
    store.set(messageBarAtom, 'You’re offline.')
    expect([open(store, '/'), open(store, '/about')]).toEqual(['You’re offline.', 'You’re offline.'])
  })
})
