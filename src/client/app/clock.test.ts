import { createStore } from 'jotai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { bootAtom } from './boot.ts'
import { clockAtom, tickingClockAtom } from './clock.ts'

const NOW = '2026-11-21T09:05:07.250'

describe('the clock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: new Date(NOW) })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  function storeAtBoot() {
    const store = createStore()
    store.set(bootAtom, (boot) => ({ ...boot, clock: '05:00:00', timeZone: 'Asia/Tokyo' }))
    return store
  }

  it("shows the server's time until the page is hydrated, then the device's", () => {
    const store = storeAtBoot()
    expect(store.get(clockAtom).text).toBe('05:00:00')
    const unmount = store.sub(clockAtom, () => {})
    expect(store.get(clockAtom)).toEqual({ hour: 9, text: '09:05:07' })
    unmount()
  })

  it('ticks every second while mounted and stops afterwards', () => {
    const store = storeAtBoot()
    const unmount = store.sub(tickingClockAtom, () => {})
    vi.advanceTimersByTime(750)
    expect(store.get(tickingClockAtom).text).toBe('09:05:08')
    vi.advanceTimersByTime(2000)
    expect(store.get(tickingClockAtom).text).toBe('09:05:10')
    unmount()
    expect(vi.getTimerCount()).toBe(0)
  })
})
