import { describe, expect, it } from 'vitest'
import { keepPages, keptPage, pageAt, slot } from './kept-pages.ts'

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('kept pages', () => {
  it("fills each moment's own values into the slots", () => {
    const page = keptPage(200, `<a>${slot('boot')}</a> café ${slot('clock')}.`)
    const at = (boot: string, clock: string) => decode(pageAt(page, clock, () => ({ boot, clock })))
    expect(at('{}', '09:05:07')).toBe('<a>{}</a> café 09:05:07.')
    expect(at('[]', '21:00:00')).toBe('<a>[]</a> café 21:00:00.')
  })

  it('fills a page once for all who ask in the same moment', () => {
    const page = keptPage(200, `<a>${slot('boot')}</a>`)
    const bytes = pageAt(page, 'now', () => ({ boot: '{}', clock: '' }))
    expect(pageAt(page, 'now', () => ({ boot: '[]', clock: '' }))).toBe(bytes)
  })

  it('drops the longest unused page when the bytes run out', () => {
    const pages = keepPages(50)
    pages.keep('a', keptPage(200, 'x'.repeat(10)))
    pages.keep('b', keptPage(200, 'x'.repeat(10)))
    pages.get('a')
    pages.keep('c', keptPage(200, 'x'.repeat(10)))
    expect([pages.get('a'), pages.get('b'), pages.get('c')].map(Boolean)).toEqual([true, false, true])
    expect(pages.heldBytes()).toBe(40)
  })

  it('counts a page kept again under its key once', () => {
    const pages = keepPages(50)
    pages.keep('a', keptPage(200, 'x'.repeat(10)))
    pages.keep('a', keptPage(200, 'x'.repeat(12)))
    expect(pages.heldBytes()).toBe(24)
  })
})
