import { Unavailable } from './db/errors.ts'
import type { ServiceError } from './result.ts'

/** Counts an event under a key; false when the key has had too many within the period. */
export type RateLimiter = (key: string) => Promise<boolean>

/** `attempts` guards passwords and promo codes, `writes` guards forms (wrangler.toml has the numbers). */
export type RateLimiters = Record<'attempts' | 'writes', RateLimiter>

/** The period of both limits in wrangler.toml. */
const PERIOD_SECONDS = 60

/** The error of a service whose rate limit is exceeded. */
export const tooManyRequests = {
  code: 'too_many_requests',
  retryAfterSeconds: PERIOD_SECONDS,
} as const satisfies ServiceError

/** Counts an action by the client's network address and by account, where there is one; false when either has had too many. */
export async function isWithinRateLimit(
  action: string,
  { address, account }: { address: string; account?: string },
  limiter: RateLimiter,
): Promise<boolean> {
  const counted = await Promise.all([
    limiter(`${action} from ${address}`),
    account === undefined || limiter(`${action} for ${account}`),
  ])
  return counted.every(Boolean)
}

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
