import { createStore } from 'jotai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createStorage } from '../../../test/support/storage.ts'
import { expireSessionAtom, logOutAtom, saveUserAtom, sessionAtom, storeSessionAtom } from './session.ts'
import { toastLibraryAtom } from './toasts.ts'

const user = { name: 'Amina Wanjiru', email: 'amina@shopper.test' }
const EXPIRED_SESSION = ['session-ended', '/dashboard']

describe('a session', () => {
  let stored: Map<string, string>
  let storedInTab: Map<string, string>
  let response: PromiseWithResolvers<Response>
  beforeEach(() => {
    stored = new Map()
    storedInTab = new Map()
    response = Promise.withResolvers()
    vi.stubGlobal('localStorage', createStorage(stored))
    vi.stubGlobal('sessionStorage', createStorage(storedInTab))
    vi.stubGlobal('fetch', () => response.promise)
  })
  afterEach(() => vi.unstubAllGlobals())

  function createSignedInStore() {
    const store = createStore()
    store.set(storeSessionAtom, { token: 'a-token', user })
    return store
  }

  it('counts as expired after a 401', () => {
    const store = createSignedInStore()
    store.set(expireSessionAtom, '/dashboard')
    expect([...storedInTab]).toEqual([EXPIRED_SESSION])
    expect(store.get(sessionAtom).status).toBe('signed-out')
  })

  it('counts as logged out even if calls fail with a 401 during or after the logout', async () => {
    const store = createSignedInStore()
    const loggingOut = store.set(logOutAtom)
    store.set(expireSessionAtom, '/dashboard')
    expect([...storedInTab]).toEqual([])
    response.resolve(new Response(null, { status: 204 }))
    expect(await loggingOut).toBe(true)
    store.set(expireSessionAtom, '/dashboard')
    expect([...storedInTab]).toEqual([])
  })

  it('stays ended if the user is saved after the logout', async () => {
    const store = createSignedInStore()
    response.resolve(new Response(null, { status: 204 }))
    await store.set(logOutAtom)
    store.set(saveUserAtom, user)
    expect([...stored]).toEqual([])
    expect(store.get(sessionAtom).status).toBe('signed-out')
  })

  it('counts as expired if a 401 follows a failed logout', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
    const store = createSignedInStore()
    store.set(toastLibraryAtom, { toast: { error: () => '' } } as never)
    expect(await store.set(logOutAtom)).toBe(false)
    expect(store.get(sessionAtom).status).toBe('signed-in')
    store.set(expireSessionAtom, '/dashboard')
    expect([...storedInTab]).toEqual([EXPIRED_SESSION])
  })
})
