import { describe, expect, it } from 'vitest'
import { getHomeGreeting, getShopGreeting, getWallClock, getYearAt, toValidTimeZone } from './greeting.ts'

describe('greetings', () => {
  it.each([
    [0, 'Good morning', 'Good morning'],
    [11, 'Good morning', 'Good morning'],
    [12, 'Good afternoon', 'Good afternoon'],
    [16, 'Good afternoon', 'Good afternoon'],
    [17, 'Good evening', 'Good afternoon'],
    [18, 'Good evening', 'Good evening'],
    [20, 'Good evening', 'Good evening'],
    [21, 'Good night', 'Good evening'],
    [23, 'Good night', 'Good evening'],
  ])('at %i o’clock say "%s" on Home and "%s" in the shop', (hour, home, shop) => {
    expect([getHomeGreeting(hour), getShopGreeting(hour)]).toEqual([home, shop])
  })
})

describe('the wall clock', () => {
  it('formats the time in its zone, with midnight as 00', () => {
    const moment = Date.UTC(2026, 10, 21, 21, 5, 7)
    expect(getWallClock(moment, 'Africa/Nairobi')).toEqual({ hour: 0, text: '00:05:07' })
    expect(getWallClock(moment, 'Asia/Kolkata')).toEqual({ hour: 2, text: '02:35:07' })
  })

  it('changes the year at midnight in its zone', () => {
    const midnight = Date.UTC(2026, 11, 31, 21)
    expect(getYearAt(midnight - 1, 'Africa/Nairobi')).toBe('2026')
    expect(getYearAt(midnight, 'Africa/Nairobi')).toBe('2027')
  })

  it('falls back to another zone if its own is missing or unknown', () => {
    expect(toValidTimeZone(undefined, 'Africa/Nairobi')).toBe('Africa/Nairobi')
    expect(toValidTimeZone('Mars/Olympus', 'Africa/Nairobi')).toBe('Africa/Nairobi')
    expect(toValidTimeZone('Europe/Oslo', 'Africa/Nairobi')).toBe('Europe/Oslo')
  })
})
