import { expect, it } from 'vitest'
import { createTapGuard } from './tap-guard.ts'

const tap = (timeStamp: number, { x = 100, y = 300, detail = 1 } = {}) => ({
  ...{ clientX: x, clientY: y, timeStamp, detail },
})

function createGuardAfterTap(first = tap(0)) {
  const guard = createTapGuard()
  guard.allows(first)
  guard.recordMove()
  return guard
}

it('the tap guard blocks taps where a line has moved until the finger pauses', () => {
  const guard = createGuardAfterTap()
  expect([250, 500, 1000, 1700].map((ms) => guard.allows(tap(ms)))).toEqual([false, false, false, true])
})

it('the tap guard allows keyboard clicks and the tap after one, taps elsewhere, and taps if no line has moved', () => {
  expect(createGuardAfterTap().allows(tap(100, { y: 380 }))).toBe(true)
  expect(createGuardAfterTap().allows(tap(100, { detail: 0 }))).toBe(true)
  expect(createGuardAfterTap(tap(0, { detail: 0, x: 0, y: 0 })).allows(tap(100))).toBe(true)
  const guard = createTapGuard()
  expect([0, 100, 200].map((ms) => guard.allows(tap(ms)))).toEqual([true, true, true])
})
