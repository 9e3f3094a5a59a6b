import { atom } from 'jotai'

/** Only attempts that were submitted have one of these fields. */
const SUBMITTED_ATTEMPT_PATTERN = /"(sentAtMs|number)"/

/** Part of every first load, so it reads storage directly instead of importing the attempt's schema. */
export const hasOpenOrderAtom = atom(false)
hasOpenOrderAtom.onMount = (set) => {
  try {
    set(SUBMITTED_ATTEMPT_PATTERN.test(localStorage.getItem('order') ?? ''))
  } catch {
    // Storage is blocked, so an attempt can't be read.
  }
}
