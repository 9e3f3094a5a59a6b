import { atom } from 'jotai'
import { callApi } from '../api.ts'
import { bootAtom } from './boot.ts'
import { followSessionAtom, readSessionAtom, saveUserAtom, sessionAtom, trustSessionAtom } from './session.ts'
import { watchStoredSession } from './stored-session.ts'

/** Asks the server who is here, which renews the cookie; a 401 ends the session in `api.ts` (§ 8). */
const confirmSessionAtom = atom(null, async (_get, set) => {
  const result = await callApi(() => import('#shared/contract/auth.ts').then(({ session }) => session))
  if (result.ok) set(saveUserAtom, result.data.user)
  else if (result.status !== 401) set(trustSessionAtom)
})

/**
 * Starts the session in the browser, after hydration: reads what is stored, has the server confirm what its cookie
 * does not, and follows the other tabs. Returns the way to stop following.
 */
export const startSessionAtom = atom(null, (get, set) => {
  set(readSessionAtom)
  if (get(sessionAtom).status === 'resolving' || get(bootAtom).isSessionAging) void set(confirmSessionAtom)
  return watchStoredSession(() => set(followSessionAtom))
})
