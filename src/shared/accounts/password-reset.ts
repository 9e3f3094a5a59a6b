/** The reset API's error messages about the link or the password start with one of these codes (§ 7). */
export const RESET_CODES = {
  expired: 'EXPIRED_OOB_CODE',
  invalid: 'INVALID_OOB_CODE',
  weak: 'WEAK_PASSWORD',
} as const

export const RESET_LINK_PROBLEMS = {
  expired: 'This link has expired or has already been used. Please request a new one.',
  invalid: 'This link is invalid. Please request a new one.',
} as const

export const RESET_TTL_SECONDS = 60 * 60
