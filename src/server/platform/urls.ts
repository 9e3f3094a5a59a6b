import * as z from 'zod/mini'

export const HTTPS_REQUIRED_ERROR = 'must be an https address'
/** Production rejects these URLs (`production-settings.ts`). */
const LOOPBACK_URL_PATTERN = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/

export const httpsUrlSchema = z
  .url({ protocol: /^https?$/, error: HTTPS_REQUIRED_ERROR, abort: true })
  .check(z.refine((url) => url.startsWith('https:') || LOOPBACK_URL_PATTERN.test(url), HTTPS_REQUIRED_ERROR))

export const originSchema = z.pipe(
  httpsUrlSchema,
  z.transform((url) => new URL(url).origin),
)
