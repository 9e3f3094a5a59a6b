import { atom } from 'jotai'
import { callApi } from '../api.ts'
import { signOutAtom } from './session.ts'
import { showToastAtom } from './toasts.ts'

/**
 * Ends the session, on the server and here (§ 4); resolves with whether it has ended. Only without a connection it
 * has not: the cookie, which only the server can take away, would go on saying who is here.
 */
export const logOutAtom = atom(null, async (_get, set): Promise<boolean> => {
  const result = await callApi(() => import('#shared/contract/auth.ts').then(({ logout }) => logout))
  if (!result.ok && result.status === 0) {
    void set(showToastAtom, 'error', 'You are still logged in: there is no connection. Please try again.')
    return false
  }
  set(signOutAtom)
  return true
})
