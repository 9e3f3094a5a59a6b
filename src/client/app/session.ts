import { atom } from 'jotai'
import type { User } from '#shared/accounts/contract.ts'
import { href } from '#shared/routes.ts'
import { callApi } from './api.ts'
import { bootAtom } from './boot.ts'
import { contactDraftAtom, storedBillingAtom } from './drafts.ts'
import { createStoredAtom, parseStringRecord } from './stored-atom.ts'
import { showToastAtom } from './toasts.ts'

export type Session =
  | { status: 'signed-out' }
  /** The browser has a stored session that the server has not confirmed yet (§ 2). */
  | { status: 'resolving'; user: User | null }
  | { status: 'signed-in'; user: User }

const textStorage = {
  empty: null,
  parse: (text: string): string | null => text || null,
  serialize: (text: string | null) => text,
}

export const tokenAtom = createStoredAtom({ ...textStorage, key: 'token' })

export const expiredSessionPathAtom = createStoredAtom({
  ...textStorage,
  key: 'session-ended',
  storage: 'session',
})

export const requestedPageAtom = atom<string>()

/**
 * Whether Login opens the requested page at once, because the stored session was renewed or the shopper has just
 * registered.
 */
export const opensRequestedPageAtom = atom(false)

const storedUserAtom = createStoredAtom<User | null>({
  key: 'user',
  empty: null,
  parse(text) {
    const { name, email, ...address } = parseStringRecord(text)
    return name === undefined || email === undefined ? null : { name, email, ...address }
  },
})

/** Being signed out counts as `confirmed`, and so does a failed confirmation (§ 4). */
const sessionConfirmationAtom = atom<'unread' | 'pending' | 'confirmed' | 'ending'>('unread')

export const sessionAtom = atom((get): Session => {
  const confirmation = get(sessionConfirmationAtom)
  const user = confirmation === 'unread' ? get(bootAtom).cookieUser : (get(storedUserAtom) ?? null)
  if (confirmation === 'pending' && (user || get(tokenAtom))) return { status: 'resolving', user }
  return user ? { status: 'signed-in', user } : { status: 'signed-out' }
})

/**
 * Components inside Suspense must use `use-user.ts`: they hydrate later, so their first render could differ from
 * the server's.
 */
export const userAtom = atom((get) => {
  const session = get(sessionAtom)
  return session.status === 'signed-out' ? null : session.user
})

export const storeSessionAtom = atom(null, (_get, set, { token, user }: { token: string; user: User }) => {
  set(tokenAtom, () => token)
  set(storedUserAtom, () => user)
  set(sessionConfirmationAtom, 'confirmed')
})

/**
 * Handles a 401 (§ 8). If this tab was signed in and didn't end the session itself, Login says that the session expired
 * and later returns to `path`.
 */
export const expireSessionAtom = atom(null, (get, set, path: string) => {
  const isEndedInThisTab =
    get(sessionConfirmationAtom) === 'ending' || get(sessionAtom).status === 'signed-out'
  if (!isEndedInThisTab) set(expiredSessionPathAtom, () => path)
  set(clearSessionAtom)
})

export const clearSessionAtom = atom(null, (_get, set) => {
  set(tokenAtom, () => null)
  set(storedUserAtom, () => null)
  set(sessionConfirmationAtom, 'confirmed')
  set(opensRequestedPageAtom, false)
})

export const saveUserAtom = atom(null, (get, set, user: User) => {
  if (get(sessionAtom).status === 'signed-out') return
  set(storedUserAtom, () => user)
  set(sessionConfirmationAtom, 'confirmed')
})

/** Call it only after server markup has hydrated. A different user in the cookie replaces the stored one. */
export const startSessionAtom = atom(null, (get, set) => {
  const { cookieUser, isSessionRenewalDue } = get(bootAtom)
  if (location.pathname !== href('login')) set(expiredSessionPathAtom, () => null)
  if (cookieUser) {
    const { name, email } = cookieUser
    if (set(storedUserAtom)?.email !== email) set(tokenAtom, () => null)
    set(storedUserAtom, (user) => {
      if (user?.email !== email) return cookieUser
      return user.name === name ? user : { ...user, name }
    })
  }
  const isPending = !cookieUser && (set(storedUserAtom) !== null || set(tokenAtom) !== null)
  set(sessionConfirmationAtom, isPending ? 'pending' : 'confirmed')
  if (isPending || isSessionRenewalDue) void set(confirmSessionAtom)
})

/** After a failure other than a 401 (§ 8), the stored user counts as signed in (§ 4). */
const confirmSessionAtom = atom(null, async (_get, set) => {
  const result = await callApi(() =>
    import('#shared/accounts/contract.ts').then((module) => module.getSessionCall),
  )
  if (result.ok) {
    set(saveUserAtom, result.data.user)
    set(opensRequestedPageAtom, true)
  } else if (result.status !== 401) set(sessionConfirmationAtom, 'confirmed')
})

/** Set it before posting the deletion form, or clearing storage would open Login instead of the response. */
export const isSessionEndingAtom = atom(
  (get) => get(sessionConfirmationAtom) === 'ending',
  (_get, set) => set(sessionConfirmationAtom, 'ending'),
)

/**
 * Without a response, stays signed in and resolves to false, because only the server can delete the cookie (§ 4).
 */
export const logOutAtom = atom(null, async (_get, set): Promise<boolean> => {
  set(sessionConfirmationAtom, 'ending')
  const result = await callApi(() =>
    import('#shared/accounts/contract.ts').then((module) => module.logoutCall),
  )
  if (!result.ok && result.status === 0) {
    set(sessionConfirmationAtom, 'confirmed')
    void set(showToastAtom, 'error', 'You seem to be offline, so you’re still logged in.')
    return false
  }
  for (const draft of [storedBillingAtom, contactDraftAtom]) set(draft, () => null)
  set(clearSessionAtom)
  return true
})
