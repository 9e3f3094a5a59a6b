import { describe, expect, it } from 'vitest'
import { formatShopDateTime, formatTimeOfDay, parseShopDateTime, parseShopDay } from './time.ts'

/** 21 November 2026, 23:30 UTC, which is 02:30 on the 22nd in Nairobi. */
const LATE_MS = Date.UTC(2026, 10, 21, 23, 30)

describe('a day of the shop', () => {
  it('lasts from midnight to midnight in the shop’s time zone', () => {
    const { startMs = 0, endMs = 0 } = parseShopDay('2026-11-21', LATE_MS) ?? {}
    expect(new Date(startMs).toISOString()).toBe('2026-11-20T21:00:00.000Z')
    expect(endMs - startMs).toBe(86_400_000)
  })

  it('can be named today or yesterday, by the shop’s time zone', () => {
    expect(parseShopDay('today', LATE_MS)?.name).toBe('2026-11-22')
    expect(parseShopDay('yesterday', LATE_MS)?.name).toBe('2026-11-21')
  })

  it.each(['0001-01-01', '9999-12-31'])('can be as far away as %s', (word) => {
    const { startMs = 0, endMs = 0 } = parseShopDay(word, LATE_MS) ?? {}
    expect([formatShopDateTime(startMs), endMs - startMs]).toEqual([`${word}T00:00`, 86_400_000])
  })

  it.each(['', 'tomorrow', '2026-02-30', '2026-13-01', '21.11.2026', '2026-11-21T00:00'])(
    'can’t be named "%s"',
    (word) => {
      expect(parseShopDay(word, LATE_MS)).toBeUndefined()
    },
  )
})

describe('a time of the shop', () => {
  it.each(['2026-11-21T09:05', '9999-12-31T23:59'])('is read from a form: %s', (text) => {
    expect(formatShopDateTime(parseShopDateTime(text) ?? 0)).toBe(text)
  })

  it.each(['', '2026-02-31T10:00', '2026-11-21T24:00', '2026-11-21'])('can’t be "%s"', (text) => {
    expect(parseShopDateTime(text)).toBeUndefined()
  })
})

it('the time of day is in the shop’s time zone', () => {
  expect(formatTimeOfDay(LATE_MS)).toBe('02:30')
  expect(formatTimeOfDay(LATE_MS - 2 * 3_600_000)).toBe('00:30')
  expect(formatTimeOfDay(LATE_MS - 14 * 3_600_000)).toBe('12:30')
})
