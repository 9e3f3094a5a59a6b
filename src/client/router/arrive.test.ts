import { afterEach, expect, it, vi } from 'vitest'
import { arrive } from './arrive.ts'
import { type Arrival, placeOf, type View } from './page.ts'

/** What the window was told about scrolling when a view came after another. */
function scrolls(from: string, to: string, arrival: Arrival = { kind: 'forward' }): unknown[] {
  const scrollTo = vi.fn()
  const window = { scrollTo, scrollY: 0 }
  vi.stubGlobal('window', window)
  vi.stubGlobal('document', { getElementById: () => null })
  vi.stubGlobal('matchMedia', () => ({ matches: false }))
  const viewOf = (address: string): View => ({
    place: placeOf(new URL(address, 'https://pamba.test')),
    key: address,
    arrival,
    element: null,
  })
  arrive(viewOf(to), viewOf(from), ['/about'])
  return scrollTo.mock.calls.flat()
}

afterEach(() => vi.unstubAllGlobals())

it('goes smoothly to the top after a route change', () => {
  expect(scrolls('/', '/contact')).toEqual([{ top: 0, behavior: 'smooth' }])
})

it('stays where it is on an excluded path', () => {
  expect(scrolls('/', '/about')).toEqual([])
})

it('stays where it is when only the query changes', () => {
  expect(scrolls('/products', '/products?category=Toys')).toEqual([])
})

it('goes back at once to where the shopper was, on an excluded path too', () => {
  expect(scrolls('/', '/about', { kind: 'return', scrollY: 700 })).toEqual([
    { top: 700, behavior: 'instant' },
  ])
})
