/** The maximum length of an address (RFC 5321). */
export const MAX_EMAIL_CHARACTERS = 254

/** The specified simple pattern: no spaces (nor control characters), one @, a dot in the domain (§ 5). */
const EMAIL = /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+\.[^\s\p{Cc}@]+$/u

/**
 * A normalized address: without surrounding space and invisible characters (copying adds some), in Unicode's
 * composed form, so that two addresses that look alike are equal.
 */
export function cleanEmail(text: string): string {
  return text
    .replace(/\p{Cf}/gu, '')
    .normalize('NFC')
    .trim()
}

/** Whether a text, space and invisible characters aside, is a valid e-mail address. */
export function isEmailAddress(text: string): boolean {
  const address = cleanEmail(text)
  return address.length <= MAX_EMAIL_CHARACTERS && EMAIL.test(address)
}
