import { atom } from 'jotai'
import type { BillingForm } from '#shared/rules/checkout-form.ts'
import { userAtom } from './session.ts'

type Typed = Partial<BillingForm>

const keptAtom = atom<{ owner: string | undefined; typed: Typed }>({ owner: undefined, typed: {} })

/** What this shopper has typed into the billing form, no card among it; lasts as long as the page. */
export const billingDraftAtom = atom(
  (get): Typed => {
    const { owner, typed } = get(keptAtom)
    return owner === get(userAtom)?.email ? typed : {}
  },
  (get, set, change: Typed) => {
    set(keptAtom, { owner: get(userAtom)?.email, typed: { ...get(billingDraftAtom), ...change } })
  },
)
