import { atom } from 'jotai'
import { bootAtom } from '#client/app/boot.ts'
import { type Draft, type DraftAtom, storedBillingAtom } from '#client/app/drafts.ts'
import { userAtom } from '#client/app/session.ts'
import type { User } from '#shared/accounts/contract.ts'
import { COUNTIES, COUNTRIES } from '#shared/checkout/checkout-form.ts'
import { quoteDelivery } from '#shared/checkout/delivery.ts'
import { formatKsh } from '#shared/format.ts'
import { formatLocalPhone, normaliseMobile } from '#shared/payments/payment.ts'
import { PROMPT_PHONE_FIELD } from '#shared/payments/providers.ts'

export const billingDraftAtom: DraftAtom = atom(
  (get) => pickOwnDraft(get(storedBillingAtom), get(userAtom)),
  (get, set, change) => {
    const user = get(userAtom)
    // Without a session, nothing is written, which keeps an expired session's draft for its owner.
    const changed = user && change && ((now: Draft) => withAccount(change(pickOwnDraft(now, user)), user))
    return pickOwnDraft(set(storedBillingAtom, changed ?? undefined), user)
  },
)

function pickOwnDraft(stored: Draft, user: User | null): Draft
function pickOwnDraft(stored: Draft | undefined, user: User | null): Draft | undefined
function pickOwnDraft(stored: Draft | undefined, user: User | null) {
  return stored && stored.account !== user?.email ? {} : stored
}

function withAccount(draft: Draft | null, { email }: User): Draft | null {
  return draft && Object.keys(draft).length > 0 ? { ...draft, account: email } : null
}

export const deliveryChoiceAtom = atom((get) => {
  const user = get(userAtom)
  const { state, deliveryMethod } = pickOwnDraft(get(storedBillingAtom), user) ?? {}
  const terms = get(bootAtom).delivery
  const choice = {
    method: deliveryMethod === 'pickup' && terms.pickup ? ('pickup' as const) : ('delivery' as const),
    county: toOptionOrEmpty(COUNTIES, state ?? user?.state),
  }
  const quote = quoteDelivery(terms, choice)
  const feeNotice = `Shipping to ${choice.county} costs ${formatKsh(quote.feeKsh)}.`
  const countyNotice = 'Shipping depends on your county. Choose a county to see the total.'
  const zoneNotice = choice.county ? feeNotice : countyNotice
  return { ...choice, terms, quote, ...(terms.highestFeeKsh !== null && { zoneNotice }) }
})

/** Splits `name` if the first and last names are both missing (§ 3). */
export function getBillingPrefill(user: User | null) {
  const [first = '', ...rest] = (user?.name ?? '').trim().split(/\s+/)
  const hasNames = Boolean(user?.firstName || user?.lastName)
  return {
    firstName: hasNames ? (user?.firstName ?? '') : first,
    lastName: hasNames ? (user?.lastName ?? '') : rest.join(' '),
    email: user?.email ?? '',
    address: user?.address ?? '',
    address2: user?.address2 ?? '',
    country: toOptionOrEmpty(COUNTRIES, user?.country),
    state: toOptionOrEmpty(COUNTIES, user?.state),
    zip: user?.zip ?? '',
    landmark: user?.landmark ?? '',
  }
}

export function getPhonePrefill(user: User | null, draft: Draft | undefined) {
  const phone = user?.phone ?? ''
  return {
    phone,
    [PROMPT_PHONE_FIELD]:
      formatLocalPhone(user?.mpesaPhone ?? '') || toMobileOrEmpty(phone) || toMobileOrEmpty(draft?.phone),
  }
}

function toMobileOrEmpty(text = ''): string {
  return normaliseMobile(text) ? text : ''
}

function toOptionOrEmpty(options: readonly string[], value = ''): string {
  return options.includes(value) ? value : ''
}
