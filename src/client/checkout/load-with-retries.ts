import { MAX_RETRY_MS } from './watch-payment.ts'

const RETRY_MS = 5000

type Failure = 'failed' | 'unknown' | undefined

/**
 * Loads again after `failed`, when the browser comes online and when the page becomes visible. Returns a function that
 * stops loading.
 */
export function loadWithRetries(
  load: () => Promise<Failure>,
  onLoaded: (failure: Failure) => void,
): () => void {
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let waitMs = RETRY_MS

  async function loadOrRetry() {
    const failure = await load()
    if (isStopped) return
    onLoaded(failure)
    clearTimeout(timer)
    if (failure !== 'failed') return
    timer = setTimeout(retryIfVisible, waitMs)
    waitMs = Math.min(waitMs * 2, MAX_RETRY_MS)
  }

  function retryIfVisible() {
    if (!document.hidden) void loadOrRetry()
  }

  void loadOrRetry()
  addEventListener('online', loadOrRetry)
  document.addEventListener('visibilitychange', retryIfVisible)
  return () => {
    isStopped = true
    clearTimeout(timer)
    removeEventListener('online', loadOrRetry)
    document.removeEventListener('visibilitychange', retryIfVisible)
  }
}
