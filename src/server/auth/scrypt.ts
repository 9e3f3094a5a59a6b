import { scrypt } from 'node:crypto'

/** What a hash costs: N doublings of memory, block size, parallelism. */
export type ScryptCost = { logN: number; r: number; p: number }

/** Makes a key from a password; the one slow step of signing in. */
export type DeriveKey = (password: string, salt: Uint8Array, cost: ScryptCost) => Promise<Uint8Array>

export const KEY_BYTES = 32

/** scrypt of the runtime. Rejects for a cost that it refuses. */
export const deriveKey: DeriveKey = (password, salt, { logN, r, p }) => {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  scrypt(password, salt, KEY_BYTES, { N: 2 ** logN, r, p }, (error, key) => {
    if (error) reject(error)
    else resolve(key)
  })
  return promise
}
