// Apart from the rules, which a page fetches when its form is used.

/** The shortest password, in characters (§ 9). */
export const MIN_PASSWORD_CHARACTERS = 6
/** The longest password, in bytes of UTF-8: it bounds what hashing costs. */
export const MAX_PASSWORD_BYTES = 256
/** The longest name; it has to fit into the session cookie. */
export const MAX_NAME_CHARACTERS = 100

/** How long a success is shown before the redirect, in milliseconds (§ 2, § 9). */
export const REDIRECT_AFTER_LOGIN_MS = 1000
export const REDIRECT_AFTER_REGISTER_MS = 1000
export const REDIRECT_AFTER_RESET_MS = 2000
