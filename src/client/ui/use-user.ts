import { useAtomValue } from 'jotai'
import type { User } from '#shared/contract/auth.ts'
import { bootAtom } from '../state/boot.ts'
import { userAtom } from '../state/session.ts'
import { useHydrated } from './use-hydrated.ts'

/** The user whose name a page shows: the server's visitor for the first render, then whom the browser knows. */
export function useUser(): User | null {
  const user = useAtomValue(userAtom)
  const { visitor } = useAtomValue(bootAtom)
  return useHydrated() ? user : visitor
}
