import { atom } from 'jotai'
import type { User } from '#shared/contract/auth.ts'
import { bootAtom } from './boot.ts'
import { readStoredSession, storeSession } from './stored-session.ts'

/** Who is here. `resolving` is a stored session that the server has not confirmed yet (§ 2). */
export type Session =
  | { status: 'signed-out' }
  | { status: 'resolving'; user: User | null }
  | { status: 'signed-in'; user: User }

/** The browser's own knowledge; undefined until it has read its storage. */
const knownSessionAtom = atom<Session | undefined>(undefined)

/** The session: what the browser knows, else what the server rendered the page for. */
export const sessionAtom = atom((get): Session => {
  const known = get(knownSessionAtom)
  if (known) return known
  const { visitor } = get(bootAtom)
  return visitor ? { status: 'signed-in', user: visitor } : { status: 'signed-out' }
})

/**
 * The user whose name the pages show, signed in or about to be. A part of a page that wakes later than the frame
 * (inside Suspense) must read it through `ui/use-user.ts`, or its first render differs from the server's.
 */
export const userAtom = atom((get) => {
  const session = get(sessionAtom)
  return session.status === 'signed-out' ? null : session.user
})

/** Login or registration succeeded: stores token and user and marks the visitor signed in (§ 4). */
export const signInAtom = atom(null, (_get, set, signedIn: { token: string; user: User }) => {
  storeSession(signedIn)
  set(knownSessionAtom, { status: 'signed-in', user: signedIn.user })
})

/** The session is over: clears token and user (§ 4, § 8). */
export const signOutAtom = atom(null, (_get, set) => {
  storeSession({ token: null, user: null })
  set(knownSessionAtom, { status: 'signed-out' })
})

/** What is known of the user has changed, such as the address after an order. */
export const saveUserAtom = atom(null, (_get, set, user: User) => {
  storeSession({ user })
  set(knownSessionAtom, { status: 'signed-in', user })
})

/**
 * Reads the stored session, after hydration. The server's word goes first: where its cookie names somebody, that is
 * who is here, and what is stored of another person is dropped. Without a cookie a stored session awaits confirmation.
 */
export const readSessionAtom = atom(null, (get, set) => {
  const { visitor } = get(bootAtom)
  const { token, user } = readStoredSession()
  if (visitor && user?.email === visitor.email) {
    set(knownSessionAtom, { status: 'signed-in', user: { ...user, name: visitor.name } })
  } else if (visitor) {
    storeSession({ token: null, user: visitor })
    set(knownSessionAtom, { status: 'signed-in', user: visitor })
  } else {
    set(knownSessionAtom, token || user ? { status: 'resolving', user } : { status: 'signed-out' })
  }
})

/** Follows a login or logout in another tab, which has told the server already. */
export const followSessionAtom = atom(null, (_get, set) => {
  const { user } = readStoredSession()
  set(knownSessionAtom, user ? { status: 'signed-in', user } : { status: 'signed-out' })
})

/** The stored session could not be confirmed, for no fault of its own: the saved user counts as signed in (§ 4). */
export const trustSessionAtom = atom(null, (get, set) => {
  const session = get(sessionAtom)
  if (session.status === 'resolving' && session.user)
    set(knownSessionAtom, { status: 'signed-in', user: session.user })
})
