import * as z from 'zod/mini'

export const MUST_BE_HTTPS = 'must be an https address'
/** Plain http only for this machine, and only locally: `env.ts` refuses it in production. */
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/

/** A setting that is an address. */
export const httpsAddress = z
  .url({ protocol: /^https?$/, error: MUST_BE_HTTPS, abort: true })
  .check(z.refine((address) => address.startsWith('https:') || LOOPBACK.test(address), MUST_BE_HTTPS))

/** A setting that is an origin: what follows it is cut off. */
export const originAddress = z.pipe(
  httpsAddress,
  z.transform((address) => new URL(address).origin),
)
