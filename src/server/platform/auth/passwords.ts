import { timingSafeEqual } from 'node:crypto'
import type { ServiceContext } from '#server/context.ts'
import type { ServiceError } from '#server/platform/result.ts'
import { shop } from '#shared/shop.ts'
import { DERIVED_KEY_BYTES, type HashSlot, type ScryptCost } from './hash-queue.ts'

/** The cost of new hashes. Hashes with another cost still verify, and the next login replaces them. */
export const SCRYPT_COST: ScryptCost = { logN: 14, r: 8, p: 5 }
const SALT_BYTES = 16

/** The PHC string format: algorithm, parameters, salt and hash. */
const PHC_PATTERN = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/
const DUMMY_KEY = new Uint8Array(DERIVED_KEY_BYTES)
const DUMMY_SALT = new Uint8Array(SALT_BYTES)

export async function hashPassword(
  password: string,
  ctx: Pick<HashSlot, 'deriveKey'> & Pick<ServiceContext, 'randomBytes'>,
): Promise<string> {
  const salt = ctx.randomBytes(SALT_BYTES)
  const key = await ctx.deriveKey(normalisePassword(password), salt, SCRYPT_COST)
  return `$scrypt$ln=${SCRYPT_COST.logN},r=${SCRYPT_COST.r},p=${SCRYPT_COST.p}$${encodeBase64(salt)}$${encodeBase64(key)}`
}

/** Hashes the password even if `stored` is undefined, so the response time doesn't reveal which accounts exist. */
export async function checkPassword(
  password: string,
  stored: string | undefined,
  { deriveKey }: Pick<HashSlot, 'deriveKey'>,
): Promise<{ isCorrect: boolean; needsRehash: boolean }> {
  const parsedHash = parsePhc(stored)
  const { cost, salt, key } = parsedHash ?? { cost: SCRYPT_COST, salt: DUMMY_SALT, key: DUMMY_KEY }
  const derived = await deriveKey(normalisePassword(password), salt, cost)
  const isSameKey = derived.byteLength === key.byteLength && timingSafeEqual(derived, key)
  const needsRehash = cost.logN !== SCRYPT_COST.logN || cost.r !== SCRYPT_COST.r || cost.p !== SCRYPT_COST.p
  return { isCorrect: parsedHash !== undefined && isSameKey, needsRehash }
}

function parsePhc(stored = ''): { cost: ScryptCost; salt: Uint8Array; key: Uint8Array } | undefined {
  const [, logN, r, p, salt, key] = PHC_PATTERN.exec(stored) ?? []
  if (!salt || !key) return undefined
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) }
  return { cost, salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') }
}

/** Devices can encode the same characters differently. */
function normalisePassword(password: string): string {
  return password.normalize('NFKC')
}

function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}

const SERVICE_TIMEOUT_MS = 2000
/** The service receives only this prefix of the hash. Many breached passwords share it (k-anonymity). */
const PREFIX_CHARACTERS = 5

const MOST_COMMON_PASSWORDS = new Set(
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

const CONTEXT_WORD_PATTERN = new RegExp(`^(${[shop.name, shop.city, 'kenya'].join('|')})[^a-z]*$`, 'i')

export const commonPasswordError = {
  code: 'weak_password',
  message: 'This password is easy to guess or has appeared in a data breach. Please choose another one.',
} as const satisfies ServiceError

/**
 * Sends only a prefix of the password's SHA-1 to the service. If the service fails, the password doesn't count as
 * breached.
 */
export async function isCommonPassword(password: string, { config }: ServiceContext): Promise<boolean> {
  if (MOST_COMMON_PASSWORDS.has(password.toLowerCase()) || CONTEXT_WORD_PATTERN.test(password)) return true
  const { BREACHED_PASSWORDS_URL } = config
  if (!BREACHED_PASSWORDS_URL) return false
  const digest = await sha1Hex(password)
  const prefix = digest.slice(0, PREFIX_CHARACTERS)
  try {
    const response = await fetch(`${BREACHED_PASSWORDS_URL.replace(/\/$/, '')}/range/${prefix}`, {
      headers: { 'Add-Padding': 'true' },
      redirect: 'manual',
      signal: AbortSignal.timeout(SERVICE_TIMEOUT_MS),
    })
    if (!response.ok) return false
    const suffix = digest.slice(PREFIX_CHARACTERS)
    // The response has a line `SUFFIX:COUNT` per password. A count of 0 is padding.
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
