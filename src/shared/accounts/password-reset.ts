/** What the message of a failed reset starts with: the link is used or expired, unknown, or the password breaks a rule. */
export const RESET_CODES = {
  expired: 'EXPIRED_OOB_CODE',
  invalid: 'INVALID_OOB_CODE',
  weak: 'WEAK_PASSWORD',
} as const

/** The messages for an unusable reset link. */
export const RESET_LINK_PROBLEMS = {
  expired: 'This link has expired or was already used. Please request a new one.',
  invalid: 'This link is invalid. Please request a new one.',
} as const

/** How long a reset link works. Its mail names this time, and is not sent after it. */
export const RESET_TTL_SECONDS = 60 * 60
