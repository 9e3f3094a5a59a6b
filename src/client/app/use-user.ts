import { useAtomValue } from 'jotai'
import { useSyncExternalStore } from 'react'
import type { User } from '#shared/accounts/contract.ts'
import { bootAtom } from './boot.ts'
import { userAtom } from './session.ts'

/** The user whose name a page shows: the server's visitor for the first render, then the browser's user. */
export function useUser(): User | null {
  const user = useAtomValue(userAtom)
  const { visitor } = useAtomValue(bootAtom)
  return useHydrated() ? user : visitor
}

const subscribe = () => () => {}

/**
 * False on the server and in the render that hydrates its markup, true from then on. Parts inside Suspense hydrate
 * after the layout, when atoms may hold the browser's own state already.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  )
}
