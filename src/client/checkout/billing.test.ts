import { createStore } from 'jotai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { logOutAtom, signInAtom, signOutAtom } from '#client/app/session.ts'
import { createStorage } from '../../../test/support/storage.ts'
import { billingDraftAtom, prefillBilling } from './billing.ts'

const user = { name: 'Amina Wanjiru Otieno', email: 'amina@shopper.test' }

describe('the prefilled billing form', () => {
  it('splits the name if first and last name are unknown', () => {
    expect(prefillBilling(user)).toMatchObject({
      firstName: 'Amina',
      lastName: 'Wanjiru Otieno',
      email: 'amina@shopper.test',
      address: '',
    })
    expect(prefillBilling({ ...user, name: ' Amina ' })).toMatchObject({ firstName: 'Amina', lastName: '' })
    expect(prefillBilling({ ...user, name: '' })).toMatchObject({ firstName: '', lastName: '' })
  })

  it('uses the stored names and address unchanged', () => {
    const remembered = {
      firstName: 'Amina',
      lastName: 'Otieno',
      address: 'Moi Avenue 4',
      address2: 'Flat 12',
      country: 'Kenya',
      state: 'Kisumu',
      zip: '40100',
    }
    expect(prefillBilling({ ...user, ...remembered })).toMatchObject(remembered)
  })

  it('leaves out a country and a county that the shop does not offer', () => {
    expect(prefillBilling({ ...user, country: 'Atlantis', state: 'Lamu' })).toMatchObject({
      country: '',
      state: '',
    })
  })

  it('is empty without a user', () => {
    expect(new Set(Object.values(prefillBilling(null)))).toEqual(new Set(['']))
  })
})

describe('the billing draft', () => {
  let storage: Record<'local' | 'session', Map<string, string>>
  beforeEach(() => {
    storage = { local: new Map(), session: new Map() }
    vi.stubGlobal('localStorage', createStorage(storage.local))
    vi.stubGlobal('sessionStorage', createStorage(storage.session))
    vi.stubGlobal('fetch', async () => new Response(null, { status: 204 }))
  })
  afterEach(() => vi.unstubAllGlobals())

  function openTab(account = user) {
    const store = createStore()
    store.set(signInAtom, { token: 'a-token', user: account })
    return store
  }

  it('survives a reload and an expired session', () => {
    const store = openTab()
    store.set(billingDraftAtom, (draft) => ({ ...draft, address: 'Moi Avenue 4' }))
    store.set(signOutAtom)
    store.set(billingDraftAtom, (draft) => ({ ...draft, zip: '00100' }))
    expect(openTab().set(billingDraftAtom)).toMatchObject({ address: 'Moi Avenue 4' })
  })

  it('belongs to one account and is cleared on logout', async () => {
    openTab().set(billingDraftAtom, () => ({ address: 'Moi Avenue 4' }))
    expect(openTab({ ...user, email: 'another@shopper.test' }).set(billingDraftAtom)).toEqual({})
    expect(await openTab().set(logOutAtom)).toBe(true)
    expect(storage.session.size).toBe(0)
  })
})
