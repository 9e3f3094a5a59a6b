import { atom, type createStore } from 'jotai'
import { delay } from '#client/app/wait.ts'
import { offlineMessageAtom } from './page.ts'

/** Answered without the Worker, and never from a cache. */
const PROBE = '/favicon.svg'
const PROBE_DEADLINE_MS = 4000
/** How long something may load before the server is asked whether it still answers. */
const PATIENCE_MS = 2000
/** How long after a failure the server is asked again. */
export const RETRY_MS = 3000

/** Whether the server answers. A line that the browser takes for a live one may never bring an answer. */
async function isAnswering(): Promise<boolean> {
  const abort = new AbortController()
  const deadline = setTimeout(() => abort.abort(), PROBE_DEADLINE_MS)
  try {
    await fetch(PROBE, { method: 'HEAD', cache: 'no-store', signal: abort.signal })
    return true
  } catch {
    return false
  } finally {
    clearTimeout(deadline)
  }
}

/** Resolves once the server answers, or on abort. `onLost` is called whenever it does not. */
export async function waitForConnection(signal: AbortSignal, onLost: () => void): Promise<void> {
  while (!signal.aborted) {
    if ((await isAnswering()) || signal.aborted) return
    onLost()
    const round = new AbortController()
    await new Promise((resolve) => {
      void delay(RETRY_MS).then(resolve)
      for (const [target, event] of [[window, 'online'] as const, [signal, 'abort'] as const])
        target.addEventListener(event, resolve, { signal: round.signal })
    })
    round.abort()
  }
}

type Watch = { signal: AbortSignal; onLost: () => void }

/** Resolves when the server answers at once, or on abort; otherwise calls `onLost`, and rejects when it answers again. */
async function answersAtOnce({ signal, onLost }: Watch): Promise<void> {
  let isLost = false
  await waitForConnection(signal, () => {
    isLost = true
    if (!signal.aborted) onLost()
  })
  if (isLost && !signal.aborted) throw new Error('What was asked for before may never come.')
}

/** Resolves when something has loaded or the server has answered otherwise; rejects as {@link whileLoading} does. */
export function untilAnswered(loading: Promise<unknown>, watch: Watch): Promise<unknown> {
  return settled(loading, watch, answersAtOnce)
}

/** Resolves with what is loading. Rejects when that fails, and when the connection was lost meanwhile and is back. */
export function whileLoading<Data>(loading: Promise<Data>, watch: Watch): Promise<Data> {
  return settled(loading, watch, async (loadingWatch): Promise<never> => {
    while (!loadingWatch.signal.aborted) {
      await delay(PATIENCE_MS)
      await answersAtOnce(loadingWatch)
    }
    return new Promise(() => {})
  })
}

/** The first of both to settle; the other's watch ends then, or with the navigation. */
async function settled<Data, Sign>(
  loading: Promise<Data>,
  { signal, onLost }: Watch,
  watching: (watch: Watch) => Promise<Sign>,
): Promise<Data | Sign> {
  const end = new AbortController()
  const stop = () => end.abort()
  signal.addEventListener('abort', stop)
  try {
    return await Promise.race([loading, watching({ signal: end.signal, onLost })])
  } finally {
    stop()
  }
}

type Store = ReturnType<typeof createStore>

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

/** The connection is missing, since now unless that was known: the layout shows it. With null it is back. */
export const connectionLostAtom = atom(null, (get, set, change: Partial<Lost> | null) => {
  const lost = change && { sinceMs: Date.now(), ...get(lostAtom), ...change }
  set(lostAtom, lost)
  set(offlineMessageAtom, lost ? messageOf(lost) : '')
})

/** Watches the connection for a page that is being loaded; once it is lost, the layout shows that the page opens by itself. */
export function watchConnection(store: Store, signal: AbortSignal): Watch & { isLost: () => boolean } {
  let isLost = false
  const onLost = () => {
    isLost = true
    // The menu, whose link was followed, would stay open over what the layout says.
    document.querySelector<HTMLElement>('[popover]:popover-open')?.hidePopover()
    store.set(connectionLostAtom, { isAwaited: true })
  }
  return { signal, onLost, isLost: () => isLost }
}

/** Resolves once the server answers, or on abort. Until then the layout shows that the page opens by itself. */
export async function awaitConnection(store: Store, signal: AbortSignal): Promise<void> {
  await waitForConnection(signal, watchConnection(store, signal).onLost)
  store.set(connectionLostAtom, null)
}

/** Has the layout say that there is no connection, until the server answers; no page is awaited any more. */
export async function followLost(store: Store): Promise<void> {
  if (store.get(lostAtom)) store.set(connectionLostAtom, { isAwaited: false })
  await waitForConnection(new AbortController().signal, () => {})
  store.set(connectionLostAtom, null)
}

function messageOf({ sinceMs, isStored, isSlow, isAwaited }: Lost): string {
  const time = formatTime(new Date(sinceMs), new Date())
  const start = isStored
    ? isSlow
      ? `Your connection is slow. You’re seeing the shop as of ${time}.`
      : `You’re offline. You’re seeing the shop as of ${time}.`
    : `You’ve been offline since ${time}.`
  return isAwaited
    ? `${start} This page will open when you reconnect. Your cart and pages you’ve visited still work.`
    : start
}

/** On the device's clock, with the day unless it is today: `14:05`, `21 Nov, 14:05`. */
export function formatTime(date: Date, now: Date): string {
  const isToday = date.toDateString() === now.toDateString()
  return date.toLocaleString('en-KE', {
    ...(isToday ? {} : { day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  })
}
