import { timingSafeEqual } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { KEY_BYTES, type ScryptCost } from './scrypt.ts'

/** What new hashes cost. Raise it here: older hashes stay readable and are renewed at their owner's next login. */
export const COST: ScryptCost = { logN: 14, r: 8, p: 5 }
const SALT_BYTES = 16

/** Algorithm, parameters, salt and hash in one text (the PHC string format). */
const PHC = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/
const NO_KEY = new Uint8Array(KEY_BYTES)
const NO_SALT = new Uint8Array(SALT_BYTES)

type PasswordDeps = Pick<Deps, 'deriveKey' | 'randomBytes'>

/** A password's hash, as it is stored. */
export async function hashPassword(password: string, deps: PasswordDeps): Promise<string> {
  const salt = deps.randomBytes(SALT_BYTES)
  const key = await deps.deriveKey(normal(password), salt, COST)
  return `$scrypt$ln=${COST.logN},r=${COST.r},p=${COST.p}$${base64(salt)}$${base64(key)}`
}

/**
 * Whether a password is the one that was hashed, and whether its hash should be made anew because the cost has
 * changed. Without a stored hash (nobody has that address) the same work is done, so that time tells nothing.
 */
export async function checkPassword(
  password: string,
  stored: string | undefined,
  { deriveKey }: Pick<PasswordDeps, 'deriveKey'>,
): Promise<{ isRight: boolean; isStale: boolean }> {
  const known = parsed(stored)
  const { cost, salt, key } = known ?? { cost: COST, salt: NO_SALT, key: NO_KEY }
  const derived = await deriveKey(normal(password), salt, cost)
  const isSame = derived.byteLength === key.byteLength && timingSafeEqual(derived, key)
  const isStale = cost.logN !== COST.logN || cost.r !== COST.r || cost.p !== COST.p
  return { isRight: known !== undefined && isSame, isStale }
}

function parsed(stored = ''): { cost: ScryptCost; salt: Uint8Array; key: Uint8Array } | undefined {
  const [, logN, r, p, salt, key] = PHC.exec(stored) ?? []
  if (!salt || !key) return undefined
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) }
  return { cost, salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') }
}

/** The same letters typed on another system may be other bytes. */
function normal(password: string): string {
  return password.normalize('NFKC')
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}
