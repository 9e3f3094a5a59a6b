import { useSyncExternalStore } from 'react'

const subscribe = () => () => {}

/**
 * False on the server and in the render that hydrates its markup, true from then on. Parts inside Suspense hydrate
 * after the frame, when atoms may hold the browser's own state already: there, read such state only once this is true.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  )
}
