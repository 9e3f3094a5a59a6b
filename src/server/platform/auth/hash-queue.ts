import { scrypt } from 'node:crypto'
import type { ServiceError } from '#server/platform/result.ts'

const MAX_QUEUE = { unknownDevice: 4, knownDevice: 8 }
/**
 * During the pause after a hash, the isolate serves waiting pages. The pause is as long as the hash, but at least
 * `PAUSE_MS` and at most `MAX_PAUSE_MS`.
 */
const PAUSE_MS = 100
const MAX_PAUSE_MS = 2000
/**
 * A hash or reservation older than this no longer blocks others, because the work of a cancelled request may never
 * settle.
 */
const HASH_SLOT_TTL_MS = 10_000
export const queueFullError = { code: 'busy', retryAfterSeconds: 5 } as const satisfies ServiceError

export type HashSlot = {
  deriveKey: DeriveKey
  /** Must be called even after an error. */
  release: () => void
}

export type HashQueue = {
  reserve(kind: keyof typeof MAX_QUEUE): HashSlot | undefined
}

/**
 * Hashes one password at a time, unless a hash exceeds `HASH_SLOT_TTL_MS`. `waitUntil` keeps a hash running after its
 * client has disconnected, so that the next one can start.
 */
export function createHashQueue(
  ctx: { deriveKey: DeriveKey; waitUntil: (work: Promise<unknown>) => void },
  { pauseMs = PAUSE_MS, maxQueue = MAX_QUEUE } = {},
): HashQueue {
  const reserved = new Map<symbol, number>()
  let last: Promise<void> = Promise.resolve()

  async function enqueue<Value>(work: () => Promise<Value>): Promise<Value> {
    const previous = last
    const { promise, resolve } = Promise.withResolvers<void>()
    last = promise
    await waitUntilSettled(previous)
    const startMs = Date.now()
    try {
      return await work()
    } finally {
      ctx.waitUntil(pause(startMs).then(resolve))
    }
  }

  async function pause(startMs: number): Promise<void> {
    // In a Worker, the clock advances only during I/O, so the hash can be timed only after a timer.
    await sleep(pauseMs)
    const hashMs = Date.now() - startMs - pauseMs
    if (pauseMs > 0 && hashMs > pauseMs) await sleep(Math.min(hashMs, MAX_PAUSE_MS) - pauseMs)
  }

  return {
    reserve(kind) {
      const nowMs = Date.now()
      for (const [slot, sinceMs] of reserved) if (nowMs - sinceMs > HASH_SLOT_TTL_MS) reserved.delete(slot)
      if (reserved.size >= maxQueue[kind]) return undefined
      const slot = Symbol()
      reserved.set(slot, nowMs)
      return {
        deriveKey(...input) {
          const hash = enqueue(() => ctx.deriveKey(...input))
          ctx.waitUntil(hash.catch(() => {}))
          return hash
        },
        release: () => void reserved.delete(slot),
      }
    },
  }
}

async function waitUntilSettled(work: Promise<void>): Promise<void> {
  const { promise: timedOut, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, HASH_SLOT_TTL_MS)
  await Promise.race([work, timedOut])
  clearTimeout(timer)
}

function sleep(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  setTimeout(resolve, ms)
  return promise
}

export type ScryptCost = { logN: number; r: number; p: number }

export type DeriveKey = (password: string, salt: Uint8Array, cost: ScryptCost) => Promise<Uint8Array>

export const DERIVED_KEY_BYTES = 32

export const deriveKey: DeriveKey = (password, salt, { logN, r, p }) => {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  scrypt(password, salt, DERIVED_KEY_BYTES, { N: 2 ** logN, r, p }, (error, key) => {
    if (error) reject(error)
    else resolve(key)
  })
  return promise
}
