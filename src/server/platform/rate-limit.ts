import { Unavailable } from '#server/platform/db/client.ts'
import type { ServiceError } from './result.ts'

export type RateLimiter = (key: string) => Promise<boolean>

/**
 * `attempts`: passwords and promo codes per IP address; `network` and `everyone`: passwords per network and in
 * total; `writes`: forms. Limits are in wrangler.toml.
 */
export type RateLimiters = Record<'attempts' | 'network' | 'everyone' | 'writes', RateLimiter>

const PERIOD_SECONDS = 60

export const tooManyRequests = {
  code: 'too_many_requests',
  retryAfterSeconds: PERIOD_SECONDS,
} as const satisfies ServiceError

/** Rejects if the binding fails, so that passwords can't be guessed uncounted. */
export function rateLimiter(binding: RateLimit): RateLimiter {
  return async (key) => {
    try {
      return (await binding.limit({ key })).success
    } catch (cause) {
      throw new Unavailable('The rate limiter isn’t responding.', { cause })
    }
  }
}
