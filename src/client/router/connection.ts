/** Answered without the Worker, and never from a cache. */
const PROBE = '/favicon.svg'
const RETRY_MS = 3000

/** Resolves once the server answers, or on abort. `onLost` is called whenever it does not. */
export async function waitForConnection(signal: AbortSignal, onLost: () => void): Promise<void> {
  while (!signal.aborted) {
    try {
      await fetch(PROBE, { method: 'HEAD', cache: 'no-store', signal })
      return
    } catch {
      if (signal.aborted) return
      onLost()
    }
    await new Promise((resolve) => {
      setTimeout(resolve, RETRY_MS)
      window.addEventListener('online', resolve, { once: true, signal })
      signal.addEventListener('abort', resolve)
    })
  }
}
