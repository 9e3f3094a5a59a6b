import { describe, expect, it } from 'vitest'
import { deriveKey } from './hash-queue.ts'
import { checkPassword, hashPassword } from './passwords.ts'

const ctx = {
  deriveKey,
  randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
}

const cheapContext: typeof ctx = {
  ...ctx,
  deriveKey: (password, salt, cost) => deriveKey(password, salt, { ...cost, logN: 1, p: 1 }),
}

describe('a password hash', () => {
  it('matches only its password at the real cost', async () => {
    const stored = await hashPassword('kikoi-6', ctx)
    expect(stored).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$/)
    expect(await checkPassword('kikoi-6', stored, ctx)).toEqual({ isCorrect: true, needsRehash: false })
    expect((await checkPassword('kikoi-7', stored, ctx)).isCorrect).toBe(false)
  })

  it('differs for the same password', async () => {
    expect(await hashPassword('kikoi-6', cheapContext)).not.toBe(await hashPassword('kikoi-6', cheapContext))
  })

  it('matches the test vector of the scrypt paper', async () => {
    const salt = new TextEncoder().encode('NaCl')
    const key = await deriveKey('password', salt, { logN: 10, r: 8, p: 16 })
    expect(key.toHex()).toMatch(/^fdbabe1c9d347200/)
  })

  it('is checked with its own parameters, and needs rehashing if they are outdated', async () => {
    const salt = new Uint8Array(16).fill(7)
    const key = await deriveKey('kikoi-6', salt, { logN: 10, r: 8, p: 1 })
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '')
    const stored = `$scrypt$ln=10,r=8,p=1$${base64(salt)}$${base64(key)}`
    expect(await checkPassword('kikoi-6', stored, ctx)).toEqual({ isCorrect: true, needsRehash: true })
  })

  it.each(['', 'plain', '$scrypt$ln=14,r=8,p=5$$', '$scrypt$ln=14,r=8,p=5$AAAA$'])(
    'never matches if it is malformed: %j',
    async (stored) => {
      expect((await checkPassword('', stored, ctx)).isCorrect).toBe(false)
    },
  )
})
