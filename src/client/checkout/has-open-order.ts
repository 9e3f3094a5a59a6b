import { atom } from 'jotai'

/** Matches a stored attempt that was submitted or became an unpaid order. Only those have one of these fields. */
const SUBMITTED_ATTEMPT_PATTERN = /"(sentAtMs|number)"/

/**
 * Whether a submitted order may be unresolved; if so, all pages load the order code. This module is in every first
 * load, so it reads storage directly.
 */
export const hasOpenOrderAtom = atom(false)
hasOpenOrderAtom.onMount = (set) => {
  try {
    set(SUBMITTED_ATTEMPT_PATTERN.test(localStorage.getItem('order') ?? ''))
  } catch {
    // Storage is blocked, so it can't contain an attempt.
  }
}
