import { atom } from 'jotai'
import type { User } from '#shared/contract/auth.ts'
import { bootAtom } from './boot.ts'

/** Who is here. `resolving` is a stored token that the server has not confirmed yet (§ 2). */
export type Session =
  | { status: 'signed-out' }
  | { status: 'resolving'; user: User | null }
  | { status: 'signed-in'; user: User }

/** The browser's own knowledge; undefined until it has read its storage. */
const knownSessionAtom = atom<Session | undefined>(undefined)

/** The session: what the browser knows, else what the server rendered the page for. */
export const sessionAtom = atom(
  (get): Session => {
    const known = get(knownSessionAtom)
    if (known) return known
    const { visitor } = get(bootAtom)
    return visitor ? { status: 'signed-in', user: visitor } : { status: 'signed-out' }
  },
  (_get, set, session: Session) => set(knownSessionAtom, session),
)

/** The user whose name the pages show, signed in or about to be. */
export const userAtom = atom((get) => {
  const session = get(sessionAtom)
  return session.status === 'signed-out' ? null : session.user
})
