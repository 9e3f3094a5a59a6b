import type { Context } from 'hono'
import type { Config } from '#server/env.ts'
import { toValidTimeZone } from '#shared/greeting.ts'
import { shop } from '#shared/shop.ts'

export function getRequestOrigin(
  { url }: { url: string },
  { SITE_ORIGIN }: Pick<Config, 'SITE_ORIGIN'>,
): string {
  return SITE_ORIGIN ?? new URL(url).origin
}

export function getPublicOrigin({
  SITE_ORIGIN,
  LOCAL_ORIGIN,
}: Pick<Config, 'SITE_ORIGIN' | 'LOCAL_ORIGIN'>): string {
  return SITE_ORIGIN ?? LOCAL_ORIGIN
}

/** An IPv6 address is shortened to its /64 network, which one subscriber controls. */
export function getIpAddress(c: Context): string {
  const ipAddress = c.req.header('CF-Connecting-IP') ?? 'local'
  if (!ipAddress.includes(':')) return ipAddress
  const [head = '', tail] = ipAddress.split('::')
  const first = head.split(':')
  const missing = tail === undefined ? 0 : 8 - first.length - tail.split(':').length
  return [...first, ...Array(Math.max(missing, 0)).fill('0')].slice(0, 4).join(':')
}

export function getRequestTimeZone(request: Request): string {
  const zone = request.cf?.timezone
  return toValidTimeZone(typeof zone === 'string' ? zone : undefined, shop.timeZone)
}

export function savesData({ headers }: Request): boolean {
  return headers.get('Save-Data')?.toLowerCase() === 'on'
}
