import { describe, expect, it } from 'vitest'
import { parseDay } from './day.ts'

/** 21 November 2026, 23:30 in London, 02:30 of the 22nd in Nairobi. */
const LATE_MS = Date.UTC(2026, 10, 21, 23, 30)

describe('parseDay', () => {
  it('returns midnight to midnight in the shop’s time zone', () => {
    const { startMs, endMs } = parseDay('2026-11-21', LATE_MS)
    expect(new Date(startMs).toISOString()).toBe('2026-11-20T21:00:00.000Z')
    expect(endMs - startMs).toBe(86_400_000)
  })

  it('resolves today and yesterday in the shop’s time zone', () => {
    expect(parseDay('today', LATE_MS).name).toBe('2026-11-22')
    expect(parseDay('yesterday', LATE_MS).name).toBe('2026-11-21')
  })

  it.each(['', 'tomorrow', '2026-02-30', '2026-13-01', '21.11.2026', '2026-11-21T00:00'])(
    'rejects "%s"',
    (word) => {
      expect(() => parseDay(word, LATE_MS)).toThrow(/isn't a day\. Use 2026-11-21, today or yesterday\./)
    },
  )
})
