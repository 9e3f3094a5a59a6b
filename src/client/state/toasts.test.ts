import { createStore } from 'jotai'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { showToastAtom, TOAST_LIMIT, toastsAtom } from './toasts.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('shows a toast for 2 s, an error for 4 s, and lets each leave before it goes', () => {
  const store = createStore()
  const shown = () =>
    store.get(toastsAtom).map(({ kind, message, isLeaving }) => `${kind}: ${message}${isLeaving ? ' …' : ''}`)
  store.set(showToastAtom, 'success', 'Added to cart')
  store.set(showToastAtom, 'error', 'There is no connection.')
  expect(shown()).toEqual(['error: There is no connection.', 'success: Added to cart'])
  vi.advanceTimersByTime(2000)
  expect(shown()).toEqual(['error: There is no connection.', 'success: Added to cart …'])
  vi.advanceTimersByTime(200)
  expect(shown()).toEqual(['error: There is no connection.'])
  vi.advanceTimersByTime(2000)
  expect(shown()).toEqual([])
})

it('keeps at most twenty of them, the newest', () => {
  const store = createStore()
  for (let count = 0; count <= TOAST_LIMIT; count++) store.set(showToastAtom, 'info', `${count}`)
  expect(store.get(toastsAtom)).toHaveLength(20)
  expect(store.get(toastsAtom)[0]?.message).toBe('20')
})
