import { scrypt } from 'node:crypto'
import type { ServiceError } from '#server/platform/result.ts'

/** How many passwords may be queued when one from an unknown device is accepted, and when one from a known device is. */
const MAX_QUEUE = { unknownDevice: 4, knownDevice: 8 }
/**
 * The pause after each hash, in milliseconds: hashing blocks the isolate, and pages that waited are served first.
 * On a slow machine it is as long as the hash was, so that pages are never blocked for more than half of the time.
 */
const PAUSE_MS = 100
const MAX_PAUSE_MS = 2000
/** After this time, in milliseconds, a hash counts as lost with its request, and the next one starts. */
const LOST_AFTER_MS = 10_000
/** The error of a service that hashes, when the queue is full. */
export const busy = { code: 'busy', retryAfterSeconds: 5 } as const satisfies ServiceError

/** A reserved slot in the queue. */
export type HashSlot = {
  /** Hashes when it is this slot's turn. */
  deriveKey: DeriveKey
  /** Frees the slot; call it in every case. */
  release: () => void
}

/** The isolate's queue of passwords to hash. */
export type HashQueue = {
  /** Reserves a slot; undefined when the queue is full. */
  reserve(kind: keyof typeof MAX_QUEUE): HashSlot | undefined
}

/**
 * Hashes one password at a time: hashing blocks the whole isolate, pages included. With `background` a hash goes on
 * after its client has disconnected, so that the next one is started.
 */
export function hashQueue(
  ctx: { deriveKey: DeriveKey; background: (work: Promise<unknown>) => void },
  { pauseMs = PAUSE_MS, maxQueue = MAX_QUEUE } = {},
): HashQueue {
  const reserved = new Map<symbol, number>()
  let last: Promise<void> = Promise.resolve()

  async function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const previous = last
    const { promise, resolve } = Promise.withResolvers<void>()
    last = promise
    await settledOrLost(previous)
    const startMs = Date.now()
    try {
      return await work()
    } finally {
      ctx.background(pause(startMs).then(resolve))
    }
  }

  async function pause(startMs: number): Promise<void> {
    // The clock of a Worker only advances with I/O, such as a timer.
    await sleep(pauseMs)
    const hashMs = Date.now() - startMs - pauseMs
    if (pauseMs > 0 && hashMs > pauseMs) await sleep(Math.min(hashMs, MAX_PAUSE_MS) - pauseMs)
  }

  return {
    reserve(kind) {
      const nowMs = Date.now()
      for (const [slot, sinceMs] of reserved) if (nowMs - sinceMs > LOST_AFTER_MS) reserved.delete(slot)
      if (reserved.size >= maxQueue[kind]) return undefined
      const slot = Symbol()
      reserved.set(slot, nowMs)
      return {
        deriveKey(...input) {
          const hash = inTurn(() => ctx.deriveKey(...input))
          ctx.background(hash.catch(() => {}))
          return hash
        },
        release: () => void reserved.delete(slot),
      }
    },
  }
}

async function settledOrLost(work: Promise<void>): Promise<void> {
  const { promise: lost, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, LOST_AFTER_MS)
  await Promise.race([work, lost])
  clearTimeout(timer)
}

function sleep(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  setTimeout(resolve, ms)
  return promise
}

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
