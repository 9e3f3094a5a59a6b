/** RFC 5321. */
export const MAX_EMAIL_CHARACTERS = 254

const EMAIL = /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+\.[^\s\p{Cc}@]+$/u

/**
 * Trims, removes invisible characters and composes Unicode (NFC), so that addresses that look alike are
 * equal.
 */
export function cleanEmail(text: string): string {
  return text
    .replace(/\p{Cf}/gu, '')
    .normalize('NFC')
    .trim()
}

export function isEmailAddress(text: string): boolean {
  const address = cleanEmail(text)
  return address.length <= MAX_EMAIL_CHARACTERS && EMAIL.test(address)
}
