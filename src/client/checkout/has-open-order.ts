import { atom } from 'jotai'

/** A stored attempt contains these fields once it was submitted or has become an unpaid order. */
const SUBMITTED_ATTEMPT_PATTERN = /"(sentAtMs|number)"/

/**
 * Whether a submitted order may still be unresolved. Part of every first load, so it reads storage directly; the rest of
 * the order code loads only if true.
 */
export const hasOpenOrderAtom = atom(false)
hasOpenOrderAtom.onMount = (set) => {
  try {
    set(SUBMITTED_ATTEMPT_PATTERN.test(localStorage.getItem('order') ?? ''))
  } catch {
    // Storage is blocked, so nothing was stored.
  }
}
