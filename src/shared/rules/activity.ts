/** The events of an account, with the labels its owner sees. */
export const ACTIVITY_LABELS = {
  registered: 'Account opened',
  signed_in: 'Signed in',
  email_verified: 'E-mail address confirmed',
  password_reset: 'New password chosen by e-mail',
  password_changed: 'Password changed',
  devices_signed_out: 'Other devices signed out',
  address_changed: 'Billing address changed',
} as const

export type ActivityKind = keyof typeof ACTIVITY_LABELS
export const ACTIVITY_KINDS = Object.keys(ACTIVITY_LABELS) as [ActivityKind, ...ActivityKind[]]
