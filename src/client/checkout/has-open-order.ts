import { atom } from 'jotai'

/** What a stored attempt holds when it has been sent: whether it has become an order is not known, or it is not paid. */
const SENT = /"(sentAtMs|number)"/

/**
 * Whether an order was sent whose end the shopper has not seen. A few bytes of every first load; all else about orders
 * is fetched only where it is true.
 */
export const hasOpenOrderAtom = atom(false)
hasOpenOrderAtom.onMount = (set) => {
  try {
    set(SENT.test(localStorage.getItem('order') ?? ''))
  } catch {
    // Storage is forbidden: nothing was stored.
  }
}
