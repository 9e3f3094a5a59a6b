import { atom } from 'jotai'
import { offlineMessageAtom } from './page.ts'

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

/** What is known of a connection that is missing. */
type Lost = {
  sinceMs: number
  /** The page shows the shop as it was then. */
  isStored?: boolean
  /** The shop can be reached, but took too long for the page. */
  isSlow?: boolean
  /** A page that was asked for opens as soon as it can. */
  isAwaited?: boolean
}

const lostAtom = atom<Lost | null>(null)

/** The connection is missing, since now unless that was known: the frame says so. With null it is back. */
export const connectionLostAtom = atom(null, (get, set, change: Partial<Lost> | null) => {
  const lost = change && { sinceMs: Date.now(), ...get(lostAtom), ...change }
  set(lostAtom, lost)
  set(offlineMessageAtom, lost ? messageOf(lost) : '')
})

/** The page that was asked for is not awaited any more. */
export const stopAwaitingAtom = atom(null, (get, set) => {
  if (get(lostAtom)) set(connectionLostAtom, { isAwaited: false })
})

function messageOf({ sinceMs, isStored, isSlow, isAwaited }: Lost): string {
  const time = timeOf(new Date(sinceMs), new Date())
  const start = isStored
    ? isSlow
      ? `The connection is slow: you see the shop as of ${time}.`
      : `You are offline: you see the shop as of ${time}.`
    : `You are offline since ${time}.`
  return isAwaited
    ? `${start} The page opens by itself once you are back; your cart and what you have seen open now.`
    : start
}

/** On the device's clock, with the day unless it is today: `14:05`, `21 Nov, 14:05`. */
export function timeOf(date: Date, now: Date): string {
  const isToday = date.toDateString() === now.toDateString()
  return date.toLocaleString('en-KE', {
    ...(isToday ? {} : { day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  })
}
