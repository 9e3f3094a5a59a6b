import type { User } from '#shared/contract/auth.ts'

/** Browser storage keys of the session (§ 9). */
const TOKEN_KEY = 'token'
const USER_KEY = 'user'

const ADDRESS_FIELDS = [
  'firstName',
  'lastName',
  'address',
  'country',
  'state',
  'zip',
  'address2',
] as const satisfies (keyof User)[]

/** What browser storage holds of a session; both are null where there is nothing, or nothing valid. */
export type StoredSession = { token: string | null; user: User | null }

/** Reads the stored session; never throws. */
export function readStoredSession(): StoredSession {
  try {
    return { token: storedToken(), user: userIn(JSON.parse(localStorage.getItem(USER_KEY) ?? 'null')) }
  } catch {
    return { token: storedToken(), user: null }
  }
}

// Looked through by hand: this runs on every first page, which does without the schema library.
function userIn(stored: unknown): User | null {
  if (!stored || typeof stored !== 'object' || !('name' in stored) || !('email' in stored)) return null
  const { name, email } = stored
  if (typeof name !== 'string' || typeof email !== 'string') return null
  const rest = ADDRESS_FIELDS.flatMap((field) => {
    const value: unknown = Reflect.get(stored, field)
    return typeof value === 'string' ? [[field, value]] : []
  })
  return { name, email, ...Object.fromEntries(rest) }
}

/** The stored Bearer token; null without one, or where storage is forbidden. */
export function storedToken(): string | null {
  try {
    return localStorage.getItem(TOKEN_KEY) || null
  } catch {
    return null
  }
}

/** Stores a session's parts; null removes one, a missing one stays as it is. Where storage is forbidden, nothing happens. */
export function storeSession({ token, user }: Partial<StoredSession>): void {
  try {
    if (token !== undefined) set(TOKEN_KEY, token)
    if (user !== undefined) set(USER_KEY, user && JSON.stringify(user))
  } catch {
    // The session then lasts as long as its cookie.
  }
}

function set(key: string, value: string | null): void {
  if (value === null) localStorage.removeItem(key)
  else localStorage.setItem(key, value)
}

/** Calls back when another tab changes the stored session; returns the way to stop. */
export function watchStoredSession(onChange: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key === TOKEN_KEY || key === USER_KEY || key === null) onChange()
  }
  const onShow = ({ persisted }: PageTransitionEvent) => persisted && onChange()
  addEventListener('storage', onStorage)
  addEventListener('pageshow', onShow)
  return () => {
    removeEventListener('storage', onStorage)
    removeEventListener('pageshow', onShow)
  }
}
