import type { createStore } from 'jotai'
import { isConnectionLostAtom, refreshOrderAtom, shownOrderAtom } from './shown-order.ts'

/** How long to wait at most before asking again after a failure, in milliseconds. */
const SLOWEST_RETRY_MS = 30_000

/**
 * Keeps asking the shop about the order that is shown, at the pace the shop sets and more slowly while it cannot be
 * reached; not while the page is hidden or offline. Returns what ends it.
 */
export function watchPayment(store: ReturnType<typeof createStore>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let askedAtMs = 0
  let isAsking = false

  async function ask(number: string) {
    askedAtMs = Date.now()
    isAsking = true
    failures = (await store.set(refreshOrderAtom, number)) === 'failed' ? failures + 1 : 0
    isAsking = false
    schedule()
  }

  function schedule() {
    clearTimeout(timer)
    const { order, payment, receivedAtMs = 0 } = store.get(shownOrderAtom) ?? {}
    if (isAsking || !order || payment?.pollInMs == null) return
    if (!navigator.onLine) store.set(isConnectionLostAtom, true)
    if (document.hidden || !navigator.onLine) return
    const waitMs =
      failures > 0 ? Math.min(payment.pollInMs * 2 ** failures, SLOWEST_RETRY_MS) : payment.pollInMs
    const dueAtMs = Math.max(receivedAtMs, askedAtMs) + waitMs
    timer = setTimeout(ask, Math.max(dueAtMs - Date.now(), 0), order.number)
  }

  /** The page can be seen again, or the network is back. */
  function resume() {
    failures = 0
    if (store.get(isConnectionLostAtom)) askedAtMs = 0
    schedule()
  }

  const unsubscribe = store.sub(shownOrderAtom, schedule)
  document.addEventListener('visibilitychange', resume)
  addEventListener('online', resume)
  addEventListener('offline', schedule)
  schedule()
  return () => {
    clearTimeout(timer)
    unsubscribe()
    document.removeEventListener('visibilitychange', resume)
    removeEventListener('online', resume)
    removeEventListener('offline', schedule)
  }
}
