/** RFC 5321 limits a path to 256 octets, including its two angle brackets. */
export const MAX_EMAIL_CHARACTERS = 254

/**
 * Trims, removes invisible characters and composes Unicode (NFC), so that addresses that differ only in these are
 * equal.
 */
export function cleanEmail(text: string): string {
  return text
    .replace(/\p{Cf}/gu, '')
    .normalize('NFC')
    .trim()
}

/** Returns whether the text matches the pattern in § 5, even if it can't receive email. */
export function isEmailAddress(text: string): boolean {
  return isAddress(text, () => /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+\.[^\s\p{Cc}@]+$/u)
}

/** Also rejects empty parts, and quotes, comments and separators, which email clients interpret differently. */
export function isDeliverableAddress(text: string): boolean {
  return isAddress(
    text,
    () =>
      /^(?!\.)(?!.*\.[.@])[^\s\p{Cc}<>()[\]\\,;:"@]+@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?\.)+[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u,
  )
}

/** The patterns are created when needed, because Unicode classes are slow to load. */
function isAddress(text: string, createPattern: () => RegExp): boolean {
  const address = cleanEmail(text)
  return address.length <= MAX_EMAIL_CHARACTERS && createPattern().test(address)
}
