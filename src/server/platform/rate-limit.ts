import { UnavailableError } from '#server/platform/db/client.ts'
import { HOUR_MS, MINUTE_MS } from '#shared/time.ts'
import type { ServiceError } from './result.ts'

export type RateLimiter = (key: string) => Promise<boolean>

/**
 * `attempts` counts by IP address or known device, `writes` by IP address or account, `network` by network, and
 * `everyone` in total. wrangler.toml sets the limits.
 */
export type RateLimiters = Record<'attempts' | 'network' | 'everyone' | 'writes', RateLimiter>

const PERIOD_SECONDS = 60

export const tooManyRequestsError = {
  code: 'too_many_requests',
  retryAfterSeconds: PERIOD_SECONDS,
} as const satisfies ServiceError

/** Rejects if the binding fails, because passwords could otherwise be guessed without a limit. */
export function createRateLimiter(binding: RateLimit): RateLimiter {
  return async (key) => {
    try {
      return (await binding.limit({ key })).success
    } catch (cause) {
      throw new UnavailableError('The rate limiter isn’t responding.', { cause })
    }
  }
}

export function createTooManyRequestsError(
  waitMs: number,
  { reason, orElse }: { reason: string; orElse?: string },
): ServiceError<'too_many_requests'> {
  const message = `${reason} Please try again in ${formatWait(waitMs)}${orElse ? `, or ${orElse}` : ''}.`
  return { code: 'too_many_requests', message, retryAfterSeconds: Math.ceil(waitMs / 1000) }
}

export function formatWait(waitMs: number): string {
  const minutes = Math.ceil(waitMs / MINUTE_MS)
  if (minutes <= 1) return 'a minute'
  if (minutes < 60) return `${minutes} minutes`
  const hours = Math.ceil(waitMs / HOUR_MS)
  return hours <= 1 ? 'an hour' : `${hours} hours`
}
