import type { Context } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { getIpAddress } from '#server/platform/http/request.ts'
import { type DeviceCookie, readDeviceCookie } from './cookies.ts'

export type Client = {
  /** An IPv4 address, the /64 network of an IPv6 address, or `local` if the address is unknown. */
  ipAddress: string
  /** The IPv4 /24 or IPv6 /48 network of the address. */
  network: string
  device: DeviceCookie | null
  browser: string
  country: string | null
}

export async function parseClient(c: Context, ctx: ServiceContext): Promise<Client> {
  const ipAddress = getIpAddress(c)
  const separator = ipAddress.includes(':') ? ':' : '.'
  const country = c.req.raw.cf?.country
  return {
    ipAddress,
    network: ipAddress.split(separator).slice(0, 3).join(separator),
    device: await readDeviceCookie(c, ctx),
    browser: describeBrowser(c.req.header('User-Agent') ?? ''),
    country: typeof country === 'string' ? country : null,
  }
}

/** The order matters, because most browsers also claim to be Safari, and many to be Chrome. */
const BROWSERS = [
  ['Edge', /\bEdg/],
  ['Samsung Internet', /SamsungBrowser/],
  ['Opera', /\bOPR\/|Opera/],
  ['Firefox', /Firefox|FxiOS/],
  ['Chrome', /Chrome|CriOS/],
  ['Safari', /Safari/],
] as const
const OPERATING_SYSTEMS = [
  ['Android', /Android/],
  ['iOS', /iPhone|iPad|iPod/],
  ['Windows', /Windows/],
  ['macOS', /Macintosh/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux/],
] as const

function describeBrowser(userAgent: string): string {
  const find = (names: readonly (readonly [string, RegExp])[]) =>
    names.find(([, pattern]) => pattern.test(userAgent))?.[0]
  const browser = find(BROWSERS) ?? 'Unknown browser'
  const system = find(OPERATING_SYSTEMS)
  return system ? `${browser} on ${system}` : browser
}
