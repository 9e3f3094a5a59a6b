import { atom, type createStore } from 'jotai'
import { delay } from '#client/app/wait.ts'
import { messageBarAtom } from './page.ts'

/** A static file, which is served without starting the Worker. */
const PROBE_PATH = '/favicon.svg'
const PROBE_DEADLINE_MS = 4000
const PROBE_AFTER_MS = 2000
export const RETRY_MS = 3000

/** Probes the server, because `navigator.onLine` may be true although the connection is lost. */
async function isServerReachable(): Promise<boolean> {
  const abort = new AbortController()
  const deadline = setTimeout(() => abort.abort(), PROBE_DEADLINE_MS)
  try {
    await fetch(PROBE_PATH, { method: 'HEAD', cache: 'no-store', signal: abort.signal })
    return true
  } catch {
    return false
  } finally {
    clearTimeout(deadline)
  }
}

/** Resolves when the server responds to a probe, or on abort. Calls `onLost` after each failed probe. */
export async function waitForConnection(signal: AbortSignal, onLost: () => void): Promise<void> {
  while (!signal.aborted) {
    if ((await isServerReachable()) || signal.aborted) return
    onLost()
    const abort = new AbortController()
    await new Promise((resolve) => {
      void delay(RETRY_MS).then(resolve)
      for (const [target, event] of [[window, 'online'] as const, [signal, 'abort'] as const])
        target.addEventListener(event, resolve, { signal: abort.signal })
    })
    abort.abort()
  }
}

type ConnectionWatch = { signal: AbortSignal; onLost: () => void }

/**
 * Resolves if the first probe succeeds, or on abort. Otherwise, calls `onLost` and rejects once the server
 * responds.
 */
async function requireConnection({ signal, onLost }: ConnectionWatch): Promise<void> {
  let isLost = false
  await waitForConnection(signal, () => {
    isLost = true
    if (!signal.aborted) onLost()
  })
  if (isLost && !signal.aborted) throw new Error('The connection was lost while loading.')
}

/** Resolves when the data has loaded or the first probe succeeds. Rejects like {@link loadWhileOnline}. */
export function waitForDataOrProbe(loading: Promise<unknown>, watch: ConnectionWatch): Promise<unknown> {
  return raceWithWatch(loading, watch, requireConnection)
}

/** Rejects if loading fails, or if the connection is lost and restored in the meantime. */
export function loadWhileOnline<Data>(loading: Promise<Data>, watch: ConnectionWatch): Promise<Data> {
  return raceWithWatch(loading, watch, async (loadingWatch): Promise<never> => {
    while (!loadingWatch.signal.aborted) {
      await delay(PROBE_AFTER_MS)
      await requireConnection(loadingWatch)
    }
    return new Promise(() => {})
  })
}

async function raceWithWatch<Data, Watched>(
  loading: Promise<Data>,
  { signal, onLost }: ConnectionWatch,
  watching: (watch: ConnectionWatch) => Promise<Watched>,
): Promise<Data | Watched> {
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

type ConnectionLoss = {
  sinceMs: number
  isPageCached?: boolean
  /** The server responded, but too late, so the page comes from the cache. */
  isSlow?: boolean
  isPagePending?: boolean
}

export const connectionLossAtom = atom<ConnectionLoss | null>(null)

/** A message that the shopper has closed stays closed until its text changes or `reopens` is true. */
export const setConnectionLossAtom = atom(
  null,
  (get, set, change: Partial<ConnectionLoss> | null, reopens = false) => {
    const previous = get(connectionLossAtom)
    const lost = change && { sinceMs: Date.now(), ...previous, ...change }
    set(connectionLossAtom, lost)
    const message = formatOfflineMessage(lost)
    if (reopens || message !== formatOfflineMessage(previous)) set(messageBarAtom, message)
  },
)

export function watchConnection(
  store: Store,
  signal: AbortSignal,
): ConnectionWatch & { isLost: () => boolean } {
  let isLost = false
  const onLost = () => {
    // An open menu would cover the offline message.
    document.querySelector<HTMLElement>('[popover]:popover-open')?.hidePopover()
    store.set(setConnectionLossAtom, { isPagePending: true }, !isLost)
    isLost = true
  }
  return { signal, onLost, isLost: () => isLost }
}

export async function waitForConnectionWithMessage(store: Store, signal: AbortSignal): Promise<void> {
  await waitForConnection(signal, watchConnection(store, signal).onLost)
  store.set(setConnectionLossAtom, null)
}

/** Keeps any offline message until the server responds, but stops promising that the page will open. */
export async function reportUntilOnline(store: Store): Promise<void> {
  if (store.get(connectionLossAtom)) store.set(setConnectionLossAtom, { isPagePending: false })
  await waitForConnection(new AbortController().signal, () => {})
  store.set(setConnectionLossAtom, null)
}

function formatOfflineMessage(lost: ConnectionLoss | null): string {
  if (!lost) return ''
  const { sinceMs, isPageCached, isSlow, isPagePending } = lost
  const time = formatTime(new Date(sinceMs), new Date())
  const start = isPageCached
    ? isSlow
      ? `Your connection is slow. Prices and stock are as of ${time}.`
      : `You’re offline. Prices and stock are as of ${time}.`
    : `You’ve been offline since ${time}.`
  return isPagePending
    ? `${start} This page will open when you reconnect. Your cart and pages you’ve visited still work.`
    : start
}

/** Formats a time in the device's time zone, with the day unless it is today: `14:05`, `21 Nov, 14:05`. */
export function formatTime(date: Date, now: Date): string {
  const isToday = date.toDateString() === now.toDateString()
  return date.toLocaleString('en-KE', {
    ...(isToday ? {} : { day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  })
}
