import { describe, expect, it } from 'vitest'
import { createPageStore } from './lru-store.ts'
import { fillSlots, renderSlot, splitAtSlots } from './slots.ts'

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('a cached page', () => {
  it('has its slots filled with the values of each variant', () => {
    const page = splitAtSlots(200, `<a>${renderSlot('boot')}</a> café ${renderSlot('clock')}.`)
    const fill = (boot: string, clock: string) =>
      decode(fillSlots(page, clock, () => ({ boot, clock, banner: '' })))
    expect(fill('{}', '09:05:07')).toBe('<a>{}</a> café 09:05:07.')
    expect(fill('[]', '21:00:00')).toBe('<a>[]</a> café 21:00:00.')
  })

  it('is filled once for consecutive requests of a variant', () => {
    const page = splitAtSlots(200, `<a>${renderSlot('boot')}</a>`)
    const bytes = fillSlots(page, 'now', () => ({ boot: '{}', clock: '', banner: '' }))
    expect(fillSlots(page, 'now', () => ({ boot: '[]', clock: '', banner: '' }))).toBe(bytes)
  })
})

describe('the page store', () => {
  it('evicts the least recently used page when it is full', () => {
    const pages = createPageStore(50)
    pages.set('a', splitAtSlots(200, 'x'.repeat(10)))
    pages.set('b', splitAtSlots(200, 'x'.repeat(10)))
    pages.get('a')
    pages.set('c', splitAtSlots(200, 'x'.repeat(10)))
    expect([pages.get('a'), pages.get('b'), pages.get('c')].map(Boolean)).toEqual([true, false, true])
    expect(pages.sizeBytes()).toBe(40)
  })

  it('counts a replaced page once', () => {
    const pages = createPageStore(50)
    pages.set('a', splitAtSlots(200, 'x'.repeat(10)))
    pages.set('a', splitAtSlots(200, 'x'.repeat(12)))
    expect(pages.sizeBytes()).toBe(24)
  })
})
