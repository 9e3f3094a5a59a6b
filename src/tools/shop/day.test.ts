import { describe, expect, it } from 'vitest'
import { dayFrom } from './day.ts'

/** 21 November 2026, 23:30 in London, 02:30 of the 22nd in Nairobi. */
const LATE_MS = Date.UTC(2026, 10, 21, 23, 30)

describe('a day of the shop', () => {
  it('runs from midnight to midnight in the shop’s zone', () => {
    const { startMs, endMs } = dayFrom('2026-11-21', LATE_MS)
    expect(new Date(startMs).toISOString()).toBe('2026-11-20T21:00:00.000Z')
    expect(endMs - startMs).toBe(86_400_000)
  })

  it('is today and yesterday by the shop’s clock, not by the machine’s', () => {
    expect(dayFrom('today', LATE_MS).name).toBe('2026-11-22')
    expect(dayFrom('yesterday', LATE_MS).name).toBe('2026-11-21')
  })

  it.each(['', 'tomorrow', '2026-02-30', '2026-13-01', '21.11.2026', '2026-11-21T00:00'])(
    'is not "%s"',
    (word) => {
      expect(() => dayFrom(word, LATE_MS)).toThrow(/is no day: write it as 2026-11-21, today or yesterday\./)
    },
  )
})
