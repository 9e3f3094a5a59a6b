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

it('a route change scrolls smoothly to the top', () => {
  expect(recordScrolls('/', '/contact')).toEqual(SMOOTHLY_TO_THE_TOP)
})

it('a link to the current address scrolls smoothly to the top', () => {
  expect(recordScrolls('/products', '/products', 'replace')).toEqual(SMOOTHLY_TO_THE_TOP)
})

it('a redirect jumps to the top', () => {
  expect(recordScrolls('/cart', '/login', 'replace')).toEqual([
    { top: 1200 },
    { top: 0, behavior: 'instant' },
  ])
})

it('a link to an excluded path does not scroll to the top', () => {
  expect(recordScrolls('/', '/about')).toEqual([])
})

it('a change of only the query does not scroll', () => {
  expect(recordScrolls('/products', '/products?category=Toys')).toEqual([])
})

it('going back or forward restores the scroll position, even on an excluded path', () => {
  expect(recordScrolls('/', '/about', 'traverse')).toEqual(['restored'])
})

it('a reload leaves the scroll position to the browser', () => {
  expect(recordScrolls('/', '/', 'reload')).toEqual([])
})

it('a link into a closed details element opens it before scrolling', () => {
  const calls: string[] = []
  const target = {
    closest: (selector: string) => ({ setAttribute: (name: string) => calls.push(`${selector} ${name}`) }),
    scrollIntoView: () => calls.push('scroll'),
    focus() {},
  }
  vi.stubGlobal('document', { getElementById: (id: string) => (id === 'return-error' ? target : null) })
  scrollAndFocus(createView('/order/P-7K3M9Q#return-error'), createView('/order/P-7K3M9Q'))
  expect(calls).toEqual(['details open', 'scroll'])
})
