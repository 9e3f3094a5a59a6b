/** The longest address that mail can carry (RFC 5321). */
export const MAX_EMAIL_CHARACTERS = 254

/** The specified simple pattern: no spaces (nor control characters), one @, a dot in the domain (§ 5). */
const EMAIL = /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+\.[^\s\p{Cc}@]+$/u

/**
 * An address as it looks: without surrounding space and characters that nobody sees (some come along when it is
 * copied), its letters put together in one way. Two that look alike are not two.
 */
export function visibleAddress(text: string): string {
  return text
    .replace(/\p{Cf}/gu, '')
    .normalize('NFC')
    .trim()
}

/** Whether a text, space and invisible characters aside, is an address that mail could be sent to. */
export function isEmailAddress(text: string): boolean {
  const address = visibleAddress(text)
  return address.length <= MAX_EMAIL_CHARACTERS && EMAIL.test(address)
}
