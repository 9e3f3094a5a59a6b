import type { Deps } from '../deps.ts'
import type { ServiceError } from '../result.ts'

/** How long the service may take, in milliseconds; without it the list below decides alone. */
const DEADLINE_MS = 2000
/** How much of the digest leaves the shop: some hundred passwords share it (k-anonymity). */
const PREFIX_CHARACTERS = 5

/** The passwords that lead every published list of breached ones. */
const MOST_COMMON = new Set(
  [
    '123456 123456789 12345678 1234567 1234567890 password password1 qwerty qwerty123 qwertyuiop',
    'abc123 111111 000000 123123 123321 654321 666666 121212 112233 987654321 iloveyou',
    'letmein welcome monkey dragon sunshine princess football master shadow superman',
    'password12 password123 password1234 passw0rd p@ssw0rd p@ssword welcome1 welcome123 admin123 administrator',
    '123456a 1234567a a123456 123456q 12345678910 0123456789 987654 555555 666666 777777 888888 999999 222222',
    '11111111 00000000 12341234 123654 159753 147258369 123qwe 1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx qazwsx zxcvbnm',
    'asdfgh asdfghjkl qwerty1 qwerty12 qwerty1234 qwer1234 abcd1234 abcdef abc12345 a1b2c3 aa123456 changeme secret',
    'baseball basketball batman charlie chelsea arsenal liverpool michael jennifer jordan23 hello123 freedom whatever',
    'trustno1 starwars computer pokemon naruto killer ashley nicole daniel jessica lovely babygirl iloveyou1 jesus1',
  ].flatMap((line) => line.split(' ')),
)

/** The error of a service that is given a breached password. */
export const breachedPassword = {
  code: 'weak_password',
  message: 'This password is known from data breaches. Please choose another one.',
} as const satisfies ServiceError

/**
 * Whether a password is known from data breaches: by the configured service, which gets the first five characters of
 * its SHA-1 alone, and by a short list of the most common ones.
 */
export async function isBreached(password: string, { config }: Pick<Deps, 'config'>): Promise<boolean> {
  if (MOST_COMMON.has(password.toLowerCase())) return true
  const { BREACHED_PASSWORDS_URL } = config
  if (!BREACHED_PASSWORDS_URL) return false
  const digest = await sha1Hex(password)
  const prefix = digest.slice(0, PREFIX_CHARACTERS)
  try {
    const response = await fetch(`${BREACHED_PASSWORDS_URL.replace(/\/$/, '')}/range/${prefix}`, {
      headers: { 'Add-Padding': 'true' },
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    if (!response.ok) return false
    const suffix = digest.slice(PREFIX_CHARACTERS)
    // Each line is `SUFFIX:COUNT`; a count of 0 is padding.
    return (await response.text())
      .split('\n')
      .some((line) => line.startsWith(`${suffix}:`) && !/:0+\s*$/.test(line))
  } catch {
    return false
  }
}

async function sha1Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))
  return new Uint8Array(digest).toHex().toUpperCase()
}
