import { atom } from 'jotai'
import type { User } from '#shared/contract/auth.ts'
import { type BillingForm, COUNTIES, COUNTRIES } from '#shared/rules/checkout-form.ts'
import { mobileNumber } from '#shared/rules/payment.ts'
import type { Draft, DraftAtom } from './drafts.ts'
import { userAtom } from './session.ts'

const typedAtom = atom<{ email: string | undefined; draft: Draft }>({ email: undefined, draft: {} })

/** What this user has typed into the billing form, without the card; lasts as long as the page. */
export const billingDraftAtom: DraftAtom = atom(
  (get): Draft => {
    const { email, draft } = get(typedAtom)
    return email === get(userAtom)?.email ? draft : {}
  },
  (get, set, change) => {
    if (change) {
      set(typedAtom, { email: get(userAtom)?.email, draft: change(get(billingDraftAtom) ?? {}) ?? {} })
    }
    return get(billingDraftAtom) ?? {}
  },
)

/** The billing form as the user's own fields fill it; first and last name come from splitting `name` where they are missing (§ 3). */
export function prefilled(user: User | null): BillingForm {
  const [first = '', ...others] = (user?.name ?? '').trim().split(/\s+/)
  const hasNames = Boolean(user?.firstName || user?.lastName)
  return {
    firstName: hasNames ? (user?.firstName ?? '') : first,
    lastName: hasNames ? (user?.lastName ?? '') : others.join(' '),
    email: user?.email ?? '',
    address: user?.address ?? '',
    address2: user?.address2 ?? '',
    country: offered(COUNTRIES, user?.country),
    state: offered(COUNTIES, user?.state),
    zip: user?.zip ?? '',
  }
}

/** The two phone fields, until each is typed into: what is typed into one fills the other. */
export function prefilledPhones(user: User | null, draft: Draft | undefined) {
  const known = user?.phone ?? ''
  return {
    phone: known || mobileOrEmpty(draft?.mpesaPhone),
    mpesaPhone: mobileOrEmpty(draft?.phone) || mobileOrEmpty(known),
  }
}

/** A number that M-Pesa can prompt, as it was typed. */
function mobileOrEmpty(text = ''): string {
  return mobileNumber(text) ? text : ''
}

/** A stored choice, unless the shop no longer offers it. */
function offered(options: readonly string[], value = ''): string {
  return options.includes(value) ? value : ''
}
