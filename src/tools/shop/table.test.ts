import { describe, expect, it } from 'vitest'
import { formatDateTime, formatTable, toOneLine } from './table.ts'

describe('a table in the terminal', () => {
  it('aligns text left and numbers right', () => {
    const rows = [
      { name: 'Wanjikũ', sold: 3 },
      { name: 'A', sold: 120 },
    ]
    expect(formatTable(rows, { Name: ({ name }) => name, Sold: ({ sold }) => sold }, 'none')).toBe(
      'Name     Sold\nWanjikũ     3\nA         120',
    )
  })

  it('shows the given text if it has no rows', () => {
    expect(formatTable([], { Name: String }, 'Nothing here.')).toBe('Nothing here.')
  })

  it('removes terminal control characters from user input', () => {
    expect(toOneLine('a\u001b[31mred\u001b[0m\r\nb\u202ec')).toBe('a [31mred [0m bc')
  })

  it('shows times in the shop’s time zone', () => {
    expect(formatDateTime(Date.UTC(2026, 10, 21, 6, 5))).toBe('2026-11-21 09:05')
    expect(formatDateTime(null)).toBe('-')
  })
})
