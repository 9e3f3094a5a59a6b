import type { User } from '#shared/contract/auth.ts'
import { type BillingForm, COUNTIES, COUNTRIES } from '#shared/rules/checkout-form.ts'

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

/** A remembered choice, unless the shop no longer offers it. */
function offered(options: readonly string[], value = ''): string {
  return options.includes(value) ? value : ''
}
