import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHashQueue, type DeriveKey } from './hash-queue.ts'

const COST = { logN: 1, r: 8, p: 1 }
const SALT = new Uint8Array()
const MAX_QUEUE = { unknownDevice: 2, knownDevice: 3 }

function createControlledQueue() {
  const running: ((error?: Error) => void)[] = []
  const deriveKey: DeriveKey = () => {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    running.push((error) => (error ? reject(error) : resolve(SALT)))
    return promise
  }
  const queue = createHashQueue({ deriveKey, waitUntil: () => {} }, { pauseMs: 0, maxQueue: MAX_QUEUE })
  return { queue, running }
}

describe('the hash queue', () => {
  it('hashes one password at a time, even after a failure', async () => {
    const { queue, running } = createControlledQueue()
    const first = queue.reserve('unknownDevice')?.deriveKey('a', SALT, COST)
    const second = queue.reserve('unknownDevice')?.deriveKey('b', SALT, COST)
    await expect.poll(() => running.length).toBe(1)
    running[0]?.(new Error('out of memory'))
    await expect(first).rejects.toThrow('out of memory')
    await expect.poll(() => running.length).toBe(2)
    running[1]?.()
    expect(await second).toBe(SALT)
  })

  it('has a maximum length, and reserves slots for known devices', () => {
    const { queue } = createControlledQueue()
    const [first] = [queue.reserve('unknownDevice'), queue.reserve('unknownDevice')]
    expect(queue.reserve('unknownDevice')).toBeUndefined()
    const known = queue.reserve('knownDevice')
    expect(known).toBeDefined()
    expect(queue.reserve('knownDevice')).toBeUndefined()
    known?.release()
    first?.release()
    expect(queue.reserve('unknownDevice')).toBeDefined()
  })
})

describe('while passwords are hashed', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('a page waits only for the hash that is running when it arrives', async () => {
    let hashes = 0
    const hashesAhead: number[] = []
    const deriveKey: DeriveKey = async () => {
      hashes += 1
      const before = hashes
      setTimeout(() => hashesAhead.push(1 + hashes - before))
      return SALT
    }
    const queue = createHashQueue({ deriveKey, waitUntil: () => {} })
    const logins = Array.from({ length: 4 }, () => queue.reserve('unknownDevice')?.deriveKey('a', SALT, COST))
    await vi.runAllTimersAsync()
    await Promise.all(logins)
    expect(hashesAhead).toEqual([1, 1, 1, 1])
  })

  it.each([
    [20, 100],
    [500, 500],
    [9000, 2000],
  ])('a hash of %i ms is followed by %i ms for pages', async (hashMs, pauseMs) => {
    let hashes = 0
    const deriveKey: DeriveKey = async () => {
      hashes += 1
      vi.setSystemTime(Date.now() + hashMs)
      return SALT
    }
    const queue = createHashQueue({ deriveKey, waitUntil: () => {} })
    await queue.reserve('unknownDevice')?.deriveKey('a', SALT, COST)
    void queue.reserve('unknownDevice')?.deriveKey('b', SALT, COST)
    await vi.advanceTimersByTimeAsync(pauseMs - 1)
    expect(hashes).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(hashes).toBe(2)
  })
})
