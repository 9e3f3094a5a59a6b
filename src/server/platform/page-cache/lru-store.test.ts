import { describe, expect, it } from 'vitest'
import { createPageStore } from './lru-store.ts'
import { cutAtSlots, fillSlots, slot } from './slots.ts'

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('a cached page', () => {
  it("has each variant's own values in its slots", () => {
    const page = cutAtSlots(200, `<a>${slot('boot')}</a> café ${slot('clock')}.`)
    const filled = (boot: string, clock: string) => decode(fillSlots(page, clock, () => ({ boot, clock })))
    expect(filled('{}', '09:05:07')).toBe('<a>{}</a> café 09:05:07.')
    expect(filled('[]', '21:00:00')).toBe('<a>[]</a> café 21:00:00.')
  })

  it('is filled once for requests of the same variant', () => {
    const page = cutAtSlots(200, `<a>${slot('boot')}</a>`)
    const bytes = fillSlots(page, 'now', () => ({ boot: '{}', clock: '' }))
    expect(fillSlots(page, 'now', () => ({ boot: '[]', clock: '' }))).toBe(bytes)
  })
})

describe('the store of cached pages', () => {
  it('evicts the least recently used page beyond its limit', () => {
    const pages = createPageStore(50)
    pages.set('a', cutAtSlots(200, 'x'.repeat(10)))
    pages.set('b', cutAtSlots(200, 'x'.repeat(10)))
    pages.get('a')
    pages.set('c', cutAtSlots(200, 'x'.repeat(10)))
    expect([pages.get('a'), pages.get('b'), pages.get('c')].map(Boolean)).toEqual([true, false, true])
    expect(pages.sizeBytes()).toBe(40)
  })

  it('counts a page that is set again once', () => {
    const pages = createPageStore(50)
    pages.set('a', cutAtSlots(200, 'x'.repeat(10)))
    pages.set('a', cutAtSlots(200, 'x'.repeat(12)))
    expect(pages.sizeBytes()).toBe(24)
  })
})
