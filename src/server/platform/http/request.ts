import type { Context } from 'hono'
import type { Config } from '#server/env.ts'
import { validTimeZone } from '#shared/greeting.ts'
import { shop } from '#shared/shop.ts'

/** The shop's public origin: the configured one, or the request's own where none is configured. */
export function originOf({ url }: { url: string }, { SITE_ORIGIN }: Pick<Config, 'SITE_ORIGIN'>): string {
  return SITE_ORIGIN ?? new URL(url).origin
}

/** The shop's public origin for work that no request has started. */
export function publicOrigin({
  SITE_ORIGIN,
  LOCAL_ORIGIN,
}: Pick<Config, 'SITE_ORIGIN' | 'LOCAL_ORIGIN'>): string {
  return SITE_ORIGIN ?? LOCAL_ORIGIN
}

/**
 * The client's network address as Cloudflare reports it; `local` without Cloudflare in front. An IPv6 address is cut
 * to its first half, because one customer has a whole /64 network.
 */
export function networkAddressOf(c: Context): string {
  const address = c.req.header('CF-Connecting-IP') ?? 'local'
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const first = head.split(':')
  const missing = tail === undefined ? 0 : 8 - first.length - tail.split(':').length
  return [...first, ...Array(Math.max(missing, 0)).fill('0')].slice(0, 4).join(':')
}

/** The visitor's IANA time zone as Cloudflare reports it; otherwise the shop's. */
export function timeZoneOf(request: Request): string {
  const zone = request.cf?.timezone
  return validTimeZone(typeof zone === 'string' ? zone : undefined, shop.timeZone)
}

/** Whether the request has `Save-Data: on`. */
export function savesData({ headers }: Request): boolean {
  return headers.get('Save-Data')?.toLowerCase() === 'on'
}
