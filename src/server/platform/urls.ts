import * as z from 'zod/mini'

export const MUST_BE_HTTPS = 'must be an https address'
/** Production rejects these URLs (`production-settings.ts`). */
const LOOPBACK_URL_PATTERN = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/

export const httpsUrlSchema = z
  .url({ protocol: /^https?$/, error: MUST_BE_HTTPS, abort: true })
  .check(z.refine((url) => url.startsWith('https:') || LOOPBACK_URL_PATTERN.test(url), MUST_BE_HTTPS))

export const originSchema = z.pipe(
  httpsUrlSchema,
  z.transform((url) => new URL(url).origin),
)
