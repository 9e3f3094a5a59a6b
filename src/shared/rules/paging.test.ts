import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pageOfList } from './paging.ts'

const list = (length: number) => Array.from({ length }, (_, index) => index)

describe('a page of a list', () => {
  it.each([
    [0, 1, 0],
    [56, 1, 56],
    [96, 1, 96],
    [97, 2, 60],
    [5000, 84, 60],
  ])('of %i products is one of %i and starts with %i of them', (length, pages, first) => {
    const page = pageOfList(list(length), null)
    expect(page.pages).toBe(pages)
    expect(page.items).toHaveLength(first)
  })

  it.each([
    ['2', 2],
    ['0', 1],
    ['-1', 1],
    ['two', 1],
    ['99999999', 3],
    ['1e1', 1],
    ['', 1],
  ])('asked for as "%s" is number %i of three', (asked, page) => {
    expect(pageOfList(list(180), asked).page).toBe(page)
  })

  it.each([
    ['3', '1', { from: 1, page: 3, first: 0, length: 180 }],
    ['3', null, { from: 1, page: 3, first: 0, length: 180 }],
    ['3', '2', { from: 2, page: 3, first: 60, length: 120 }],
    ['5', '2', { from: 2, page: 5, first: 60, length: 240 }],
    ['2', '4', { from: 2, page: 2, first: 60, length: 60 }],
    ['2', 'x', { from: 1, page: 2, first: 0, length: 120 }],
  ])('asked for as "%s" since "%s" are all from that one on', (asked, since, expected) => {
    const { items, from, page } = pageOfList(list(300), asked, since)
    expect({ from, page, first: items[0], length: items.length }).toEqual(expected)
  })

  it('shows every product exactly once over all pages', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1000 }), (length) => {
        const { pages } = pageOfList(list(length), '1')
        const all = Array.from({ length: pages }, (_, n) => pageOfList(list(length), String(n + 1)).items)
        expect(all.flat()).toEqual(list(length))
        for (const items of all) expect(items.length).toBeLessThanOrEqual(96)
      }),
    )
  })
})
