import { createStore } from 'jotai'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { plainToastsAtom, showToastAtom, TOAST_LIMIT } from './toasts.ts'

vi.mock('./push-toast.ts', () => {
  throw new TypeError('Failed to fetch dynamically imported module')
})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('shows a toast for its time when the toast library is out of reach', async () => {
  const store = createStore()
  const shown = () => store.get(plainToastsAtom).map(({ kind, message }) => `${kind}: ${message}`)
  await store.set(showToastAtom, 'success', 'Added to cart')
  await store.set(showToastAtom, 'error', 'There is no connection.')
  expect(shown()).toEqual(['error: There is no connection.', 'success: Added to cart'])
  vi.advanceTimersByTime(2000)
  expect(shown()).toEqual(['error: There is no connection.'])
  vi.advanceTimersByTime(2000)
  expect(shown()).toEqual([])
})

it('keeps at most twenty of them', async () => {
  const store = createStore()
  for (let count = 0; count <= TOAST_LIMIT; count++) await store.set(showToastAtom, 'info', `${count}`)
  expect(store.get(plainToastsAtom).map(({ message }) => message)).toHaveLength(TOAST_LIMIT)
})
