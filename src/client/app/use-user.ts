import { useAtomValue } from 'jotai'
import { useSyncExternalStore } from 'react'
import type { User } from '#shared/accounts/contract.ts'
import { bootAtom } from './boot.ts'
import { userAtom } from './session.ts'

/** The server's visitor for the first render, then the browser's user. */
export function useUser(): User | null {
  const user = useAtomValue(userAtom)
  const { visitor } = useAtomValue(bootAtom)
  return useHydrated() ? user : visitor
}

const subscribe = () => () => {}

/**
 * False on the server and while hydrating. Parts inside Suspense hydrate after the layout, when atoms may already hold
 * browser state.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  )
}
