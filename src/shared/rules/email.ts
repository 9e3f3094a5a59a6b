/** The longest address that mail can carry (RFC 5321). */
export const MAX_EMAIL_CHARACTERS = 254

/** The specified simple pattern: no spaces (nor control characters), one @, a dot in the domain (§ 5). */
const EMAIL = /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+\.[^\s\p{Cc}@]+$/u

/** Whether a text, spaces around it aside, is an address that mail could be sent to. */
export function isEmailAddress(text: string): boolean {
  const address = text.trim()
  return address.length <= MAX_EMAIL_CHARACTERS && EMAIL.test(address)
}
