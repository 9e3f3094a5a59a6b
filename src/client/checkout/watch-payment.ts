import type { createStore } from 'jotai'
import { isConnectionLostAtom, refreshOrderAtom, shownOrderAtom } from './shown-order.ts'

export const MAX_RETRY_MS = 30_000

/** Pauses while the page is hidden or offline. Returns a function that stops polling. */
export function watchPayment(store: ReturnType<typeof createStore>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let polledAtMs = 0
  let isPolling = false

  async function poll(number: string) {
    polledAtMs = Date.now()
    isPolling = true
    failures = (await store.set(refreshOrderAtom, number)) === 'failed' ? failures + 1 : 0
    isPolling = false
    schedule()
  }

  function schedule() {
    clearTimeout(timer)
    const { order, payment, receivedAtMs = 0 } = store.get(shownOrderAtom) ?? {}
    if (isPolling || !order || payment?.pollInMs == null) return
    if (!navigator.onLine) store.set(isConnectionLostAtom, true)
    if (document.hidden || !navigator.onLine) return
    const waitMs = failures > 0 ? Math.min(payment.pollInMs * 2 ** failures, MAX_RETRY_MS) : payment.pollInMs
    const dueAtMs = Math.max(receivedAtMs, polledAtMs) + waitMs
    timer = setTimeout(poll, Math.max(dueAtMs - Date.now(), 0), order.number)
  }

  function resume() {
    failures = 0
    if (store.get(isConnectionLostAtom)) polledAtMs = 0
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
