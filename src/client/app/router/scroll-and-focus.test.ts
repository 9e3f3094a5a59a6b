import { afterEach, expect, it, vi } from 'vitest'
import { type NavigationType, parseLocation, type View } from './page.ts'
import { scrollAndFocus } from './scroll-and-focus.ts'

const createView = (url: string, navigationType: NavigationType = 'push'): View => ({
  location: parseLocation(new URL(url, 'https://pamba.test')),
  key: url,
  navigationType,
  element: null,
})

function recordScrolls(from: string, to: string, navigationType?: NavigationType): unknown[] {
  const scrollTo = vi.fn()
  vi.stubGlobal('window', { scrollTo, scrollY: 1200 })
  vi.stubGlobal('document', { getElementById: () => null })
  vi.stubGlobal('matchMedia', () => ({ matches: false }))
  scrollAndFocus(createView(to, navigationType), createView(from), () => scrollTo('restored'), ['/about'])
  return scrollTo.mock.calls.flat()
}

const SMOOTHLY_TO_THE_TOP = [{ top: 1200 }, { top: 0, behavior: 'smooth' }]

afterEach(() => vi.unstubAllGlobals())

it('scrolls smoothly to the top after a route change', () => {
  expect(recordScrolls('/', '/contact')).toEqual(SMOOTHLY_TO_THE_TOP)
})

it('scrolls smoothly to the top when a link leads to the current address', () => {
  expect(recordScrolls('/products', '/products', 'replace')).toEqual(SMOOTHLY_TO_THE_TOP)
})

it('jumps to the top after a redirect', () => {
  expect(recordScrolls('/cart', '/login', 'replace')).toEqual([
    { top: 1200 },
    { top: 0, behavior: 'instant' },
  ])
})

it('does not scroll to the top of an excluded path', () => {
  expect(recordScrolls('/', '/about')).toEqual([])
})

it('does not scroll when only the query changes', () => {
  expect(recordScrolls('/products', '/products?category=Toys')).toEqual([])
})

it('restores the scroll position on back and forward, including on an excluded path', () => {
  expect(recordScrolls('/', '/about', 'traverse')).toEqual(['restored'])
})

it('leaves the scroll position of a reloaded document to the browser', () => {
  expect(recordScrolls('/', '/', 'reload')).toEqual([])
})
