import { atom } from 'jotai'

/** Only attempts that were submitted have one of these fields. */
const SUBMITTED_ATTEMPT_PATTERN = /"(sentAtMs|number)"/

/** Reads storage directly, because importing the attempt's schema would enlarge every first load. */
export const hasOpenOrderAtom = atom(false)
hasOpenOrderAtom.onMount = (set) => {
  try {
    set(SUBMITTED_ATTEMPT_PATTERN.test(localStorage.getItem('order') ?? ''))
  } catch {
    // Storage is blocked, so an attempt can't be read.
  }
}
