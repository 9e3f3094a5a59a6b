import { createStore } from 'jotai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Draft } from '#client/app/drafts.ts'
import { clearSessionAtom, logOutAtom, storeSessionAtom } from '#client/app/session.ts'
import type { User } from '#shared/accounts/contract.ts'
import { createStorage } from '../../../test/support/storage.ts'
import { billingDraftAtom, getBillingPrefill, getPhonePrefill } from './billing.ts'

const user = { name: 'Amina Wanjiru Otieno', email: 'amina@shopper.test' }

describe('the prefilled billing form', () => {
  it('splits the name if first and last name are unknown', () => {
    expect(getBillingPrefill(user)).toMatchObject({
      firstName: 'Amina',
      lastName: 'Wanjiru Otieno',
      email: 'amina@shopper.test',
      address: '',
    })
    expect(getBillingPrefill({ ...user, name: ' Amina ' })).toMatchObject({
      firstName: 'Amina',
      lastName: '',
    })
    expect(getBillingPrefill({ ...user, name: '' })).toMatchObject({ firstName: '', lastName: '' })
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
    expect(getBillingPrefill({ ...user, ...remembered })).toMatchObject(remembered)
  })

  it('leaves out a country and a county that the shop does not offer', () => {
    expect(getBillingPrefill({ ...user, country: 'Atlantis', state: 'Lamu' })).toMatchObject({
      country: '',
      state: '',
    })
  })

  it('is empty without a user', () => {
    expect(new Set(Object.values(getBillingPrefill(null)))).toEqual(new Set(['']))
  })
})

describe('the number that M-Pesa prompts', () => {
  const prefill = (phones: Partial<User>, draft?: Draft) => getPhonePrefill({ ...user, ...phones }, draft)

  it('is the account’s last one, or else the one in its details, or else the typed one', () => {
    const typed = { phone: '0733 000 000' }
    expect(prefill({ phone: '0712 345 678', mpesaPhone: '254722123456' }, typed)).toEqual({
      phone: '0712 345 678',
      mpesaPhone: '0722 123 456',
    })
    expect(prefill({ phone: '0712 345 678' }, typed).mpesaPhone).toBe('0712 345 678')
    expect(prefill({ phone: '020 222 2181' }, typed).mpesaPhone).toBe('0733 000 000')
    expect(prefill({}, { phone: '0733 000' }).mpesaPhone).toBe('')
  })

  it('never fills the rider’s', () => {
    expect(prefill({ mpesaPhone: '254722123456' }, { mpesaPhone: '0733 000 000' }).phone).toBe('')
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
    store.set(storeSessionAtom, { token: 'a-token', user: account })
    return store
  }

  it('survives a reload and an expired session', () => {
    const store = openTab()
    store.set(billingDraftAtom, (draft) => ({ ...draft, address: 'Moi Avenue 4' }))
    store.set(clearSessionAtom)
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
