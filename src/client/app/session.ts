import { atom } from 'jotai'
import type { User } from '#shared/accounts/contract.ts'
import { href } from '#shared/routes.ts'
import { callApi } from './api.ts'
import { bootAtom } from './boot.ts'
import { contactDraftAtom, storedBillingAtom } from './drafts.ts'
import { parseStringRecord, storedAtom } from './stored-atom.ts'
import { showToastAtom } from './toasts.ts'

/** Who is signed in. `resolving`: a stored session that the server has not confirmed yet (§ 2). */
export type Session =
  | { status: 'signed-out' }
  | { status: 'resolving'; user: User | null }
  | { status: 'signed-in'; user: User }

const plainText = {
  empty: null,
  parse: (text: string): string | null => text || null,
  serialize: (text: string | null) => text,
}

/** The stored Bearer token (§ 3, § 9). */
export const tokenAtom = storedAtom({ ...plainText, key: 'token' })

/** Where the shopper was when the session ended by itself; null from the next login or page on. */
export const sessionEndedAtAtom = storedAtom({ ...plainText, key: 'session-ended', storage: 'session' })

const storedUserAtom = storedAtom<User | null>({
  key: 'user',
  empty: null,
  parse(text) {
    const { name, email, ...address } = parseStringRecord(text)
    return name === undefined || email === undefined ? null : { name, email, ...address }
  },
})

/** What the stored session is worth: unread, waiting for the server's confirmation, valid, or being ended by the shopper. */
const confirmationAtom = atom<'unread' | 'pending' | 'confirmed' | 'ending'>('unread')

/** The session: the stored one, or until that is read, the one the server rendered the page for. */
export const sessionAtom = atom((get): Session => {
  const confirmation = get(confirmationAtom)
  const user = confirmation === 'unread' ? get(bootAtom).visitor : (get(storedUserAtom) ?? null)
  if (confirmation === 'pending' && (user || get(tokenAtom))) return { status: 'resolving', user }
  return user ? { status: 'signed-in', user } : { status: 'signed-out' }
})

/**
 * The user whose name the pages show, signed in or about to be. A part of a page inside Suspense, which hydrates
 * later than the layout, must read it through `ui/use-user.ts`, or its first render differs from the server's.
 */
export const userAtom = atom((get) => {
  const session = get(sessionAtom)
  return session.status === 'signed-out' ? null : session.user
})

/** Login or registration succeeded: stores token and user and marks the visitor signed in (§ 4). */
export const signInAtom = atom(null, (_get, set, { token, user }: { token: string; user: User }) => {
  set(tokenAtom, () => token)
  set(storedUserAtom, () => user)
  set(confirmationAtom, 'confirmed')
})

/**
 * A call was answered that there is no session (§ 8): clears token and user. Unless the shopper has ended it, Login shows
 * that it ended, and leads back to `path`.
 */
export const expireSessionAtom = atom(null, (get, set, path: string) => {
  const isEndedHere = get(confirmationAtom) === 'ending' || get(sessionAtom).status === 'signed-out'
  if (!isEndedHere) set(sessionEndedAtAtom, () => path)
  set(signOutAtom)
})

/** The session is over: clears token and user (§ 4, § 8). */
export const signOutAtom = atom(null, (_get, set) => {
  set(tokenAtom, () => null)
  set(storedUserAtom, () => null)
  set(confirmationAtom, 'confirmed')
})

/** Stores what the server knows of the signed-in user, such as the address after an order. Nothing of whose session is over. */
export const saveUserAtom = atom(null, (get, set, user: User) => {
  if (get(sessionAtom).status === 'signed-out') return
  set(storedUserAtom, () => user)
  set(confirmationAtom, 'confirmed')
})

/**
 * Reads the stored session, after hydration. The cookie wins: what is stored of anybody but the visitor it names is
 * dropped. Without a cookie a stored session has to be confirmed, which renews the cookie.
 */
export const startSessionAtom = atom(null, (get, set) => {
  const { visitor, isSessionAging } = get(bootAtom)
  if (location.pathname !== href('login')) set(sessionEndedAtAtom, () => null)
  if (visitor) {
    const { name, email } = visitor
    if (set(storedUserAtom)?.email !== email) set(tokenAtom, () => null)
    set(storedUserAtom, (user) => {
      if (user?.email !== email) return visitor
      return user.name === name ? user : { ...user, name }
    })
  }
  const isPending = !visitor && (set(storedUserAtom) !== null || set(tokenAtom) !== null)
  set(confirmationAtom, isPending ? 'pending' : 'confirmed')
  if (isPending || isSessionAging) void set(confirmSessionAtom)
})

/** Asks the server who is signed in. A 401 signs out (§ 8); after any other failure a saved user counts (§ 4). */
const confirmSessionAtom = atom(null, async (_get, set) => {
  const result = await callApi(() => import('#shared/accounts/contract.ts').then(({ session }) => session))
  if (result.ok) set(saveUserAtom, result.data.user)
  else if (result.status !== 401) set(confirmationAtom, 'confirmed')
})

/**
 * Whether the shopper is ending the session. Set it where a form that ends it is posted as a document: the browser may
 * clear what is stored before it shows the answer, which Login would replace.
 */
export const isSessionEndingAtom = atom(
  (get) => get(confirmationAtom) === 'ending',
  (_get, set) => set(confirmationAtom, 'ending'),
)

/**
 * Ends the session, on the server and here (§ 4); resolves to whether it has ended. Without a connection it has not:
 * only the server can delete the cookie.
 */
export const logOutAtom = atom(null, async (_get, set): Promise<boolean> => {
  set(confirmationAtom, 'ending')
  const result = await callApi(() => import('#shared/accounts/contract.ts').then(({ logout }) => logout))
  if (!result.ok && result.status === 0) {
    set(confirmationAtom, 'confirmed')
    void set(showToastAtom, 'error', 'You’re offline, so you’re still logged in. Please try again.')
    return false
  }
  for (const draft of [storedBillingAtom, contactDraftAtom]) set(draft, () => null)
  set(signOutAtom)
  return true
})
