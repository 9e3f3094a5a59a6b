/** What a failed reset's message begins with: the link is used up, was never made, or the password breaks a rule. */
export const RESET_CODES = {
  expired: 'EXPIRED_OOB_CODE',
  invalid: 'INVALID_OOB_CODE',
  weak: 'WEAK_PASSWORD',
} as const

/** What is wrong with a reset link, for people. */
export const RESET_LINK_PROBLEMS = {
  expired: 'This link has been used or has expired. Ask for a new one.',
  invalid: 'This link is not valid. Ask for a new one.',
} as const
