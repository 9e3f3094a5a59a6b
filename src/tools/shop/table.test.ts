import { describe, expect, it } from 'vitest'
import { formatDateTime, oneLine, table } from './table.ts'

describe('a table in the terminal', () => {
  it('aligns words left and figures right', () => {
    const rows = [
      { name: 'Wanjikũ', sold: 3 },
      { name: 'A', sold: 120 },
    ]
    expect(
      table(
        rows,
        [
          { heading: 'Name', text: ({ name }) => name },
          { heading: 'Sold', text: ({ sold }) => sold, isFigure: true },
        ],
        'none',
      ),
    ).toBe('Name     Sold\nWanjikũ     3\nA         120')
  })

  it('reports it when there is nothing', () => {
    expect(table([], [{ heading: 'Name', text: String }], 'Nothing here.')).toBe('Nothing here.')
  })

  it('takes from others’ text what would control the terminal', () => {
    expect(oneLine('a\u001b[31mred\u001b[0m\r\nb\u202ec')).toBe('a [31mred [0m bc')
  })

  it('shows a moment on the shop’s clock', () => {
    expect(formatDateTime(Date.UTC(2026, 10, 21, 6, 5))).toBe('2026-11-21 09:05')
    expect(formatDateTime(null)).toBe('-')
  })
})
