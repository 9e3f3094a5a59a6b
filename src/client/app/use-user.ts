import { useAtomValue } from 'jotai'
import { useSyncExternalStore } from 'react'
import type { User } from '#shared/accounts/contract.ts'
import { bootAtom } from './boot.ts'
import { userAtom } from './session.ts'

export function useUser(): User | null {
  const user = useAtomValue(userAtom)
  const { cookieUser } = useAtomValue(bootAtom)
  return useHydrated() ? user : cookieUser
}

const subscribe = () => () => {}

/** Components inside Suspense hydrate after the layout, when atoms may already have browser state. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  )
}
