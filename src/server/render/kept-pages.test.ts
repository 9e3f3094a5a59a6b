import { describe, expect, it } from 'vitest'
import { fillSlots, keepPages, keptPage, slot } from './kept-pages.ts'

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('kept pages', () => {
  it("fills each request's own values into the slots", () => {
    const page = keptPage(200, `<a>${slot('boot')}</a> café ${slot('clock')}.`)
    expect(decode(fillSlots(page, { boot: '{}', clock: '09:05:07' }))).toBe('<a>{}</a> café 09:05:07.')
    expect(decode(fillSlots(page, { boot: '[]', clock: '21:00:00' }))).toBe('<a>[]</a> café 21:00:00.')
  })

  it('drops the longest unused page when the bytes run out', () => {
    const pages = keepPages(25)
    pages.keep('a', keptPage(200, 'x'.repeat(10)))
    pages.keep('b', keptPage(200, 'x'.repeat(10)))
    pages.get('a')
    pages.keep('c', keptPage(200, 'x'.repeat(10)))
    expect([pages.get('a'), pages.get('b'), pages.get('c')].map(Boolean)).toEqual([true, false, true])
    expect(pages.heldBytes()).toBe(20)
  })

  it('counts a page kept again under its key once', () => {
    const pages = keepPages(25)
    pages.keep('a', keptPage(200, 'x'.repeat(10)))
    pages.keep('a', keptPage(200, 'x'.repeat(12)))
    expect(pages.heldBytes()).toBe(12)
  })
})
