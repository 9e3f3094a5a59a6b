import { afterEach, describe, expect, it, vi } from 'vitest'
import { testContext } from '#test/support/context.ts'
import { deriveKey } from './hash-queue.ts'
import { checkPassword, hashPassword, isCommonPassword } from './passwords.ts'

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
    const storedHash = await hashPassword('kikoi-6', ctx)
    expect(storedHash).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$/)
    expect(await checkPassword('kikoi-6', storedHash, ctx)).toEqual({ isCorrect: true, needsRehash: false })
    expect((await checkPassword('kikoi-7', storedHash, ctx)).isCorrect).toBe(false)
  })

  it('differs each time the same password is hashed', async () => {
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
    const storedHash = `$scrypt$ln=10,r=8,p=1$${base64(salt)}$${base64(key)}`
    expect(await checkPassword('kikoi-6', storedHash, ctx)).toEqual({ isCorrect: true, needsRehash: true })
  })

  it.each(['', 'plain', '$scrypt$ln=14,r=8,p=5$$', '$scrypt$ln=14,r=8,p=5$AAAA$'])(
    'never matches if it is malformed: %j',
    async (stored) => {
      expect((await checkPassword('', stored, ctx)).isCorrect).toBe(false)
    },
  )
})

describe('the check for breached passwords', () => {
  afterEach(() => void vi.unstubAllGlobals())

  async function isKnown(respond: (suffix: string) => Response | Promise<Response>) {
    const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode('kikoi-6'))
    const hash = new Uint8Array(digest).toHex().toUpperCase()
    const requests: unknown[] = []
    vi.stubGlobal('fetch', async (url: string, { redirect }: RequestInit) => {
      requests.push({ url, redirect })
      return respond(hash.slice(5))
    })
    const config = { ...testContext().config, BREACHED_PASSWORDS_URL: 'https://breaches.test/' }
    const isRefused = await isCommonPassword('kikoi-6', testContext({ config }))
    const url = `https://breaches.test/range/${hash.slice(0, 5)}`
    expect(requests, 'receives a prefix only').toEqual([{ url, redirect: 'manual' }])
    return isRefused
  }

  it('sends only a prefix of the hash, and refuses a password that the service has counted', async () => {
    const other = `${'0'.repeat(35)}:7\r\n`
    expect(await isKnown((suffix) => new Response(`${other}${suffix}:12\r\n`))).toBe(true)
    expect(await isKnown((suffix) => new Response(`${other}${suffix}:0\r\n`)), 'padding').toBe(false)
    expect(await isKnown(() => new Response(other))).toBe(false)
  })

  it('refuses no password while the service is down or responds with an error', async () => {
    expect(await isKnown(() => Promise.reject(new TypeError('Network connection lost.')))).toBe(false)
    for (const status of [302, 429, 500])
      expect(await isKnown((suffix) => new Response(`${suffix}:12`, { status }))).toBe(false)
  })
})
