import { Unavailable } from '#server/platform/db/client.ts'
import type { ServiceError } from './result.ts'

/** Counts an event under a key; false when the key has had too many within the period. */
export type RateLimiter = (key: string) => Promise<boolean>

/**
 * `attempts` guards passwords and promo codes by address, `network` and `everyone` guard passwords by wider network and
 * over all visitors, `writes` guards forms (wrangler.toml has the numbers).
 */
export type RateLimiters = Record<'attempts' | 'network' | 'everyone' | 'writes', RateLimiter>

/** The period of all limits in wrangler.toml. */
const PERIOD_SECONDS = 60

/** The error of a service whose rate limit is exceeded. */
export const tooManyRequests = {
  code: 'too_many_requests',
  retryAfterSeconds: PERIOD_SECONDS,
} as const satisfies ServiceError

/** A limiter over a `ratelimits` binding. Rejects with {@link Unavailable} when it fails, so that no password can be guessed uncounted. */
export function rateLimiter(binding: RateLimit): RateLimiter {
  return async (key) => {
    try {
      return (await binding.limit({ key })).success
    } catch (cause) {
      throw new Unavailable('The rate limit cannot be read.', { cause })
    }
  }
}
