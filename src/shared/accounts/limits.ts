// These limits are separate from the form rules, so that pages can load the rules only when a form is used.

export const MIN_PASSWORD_CHARACTERS = 6
export const MAX_PASSWORD_BYTES = 256
export const MAX_NAME_CHARACTERS = 100

/** § 2 and § 9 specify these delays. */
export const REDIRECT_AFTER_LOGIN_MS = 1000
export const REDIRECT_AFTER_REGISTER_MS = 1000
export const REDIRECT_AFTER_RESET_MS = 2000
