import { timingSafeEqual } from 'node:crypto'
import type { ServiceContext } from '#server/context.ts'
import { encodeBase64Url } from '#server/platform/crypto.ts'
import { ORDER_KEY_PARAM } from '#shared/orders/order-link.ts'
import { href, matchRoute, STOCK_ALERTS_UNSUBSCRIBE_PATH } from '#shared/routes.ts'
import { DAY_MS } from '#shared/time.ts'

const encoder = new TextEncoder()

export function createSignature(purpose: string, text: string, { config }: ServiceContext): Promise<string> {
  return sign(config.COOKIE_SECRET, purpose, text)
}

export async function verifySignature(
  code: string,
  purpose: string,
  text: string,
  { config }: ServiceContext,
): Promise<boolean> {
  for (const secret of [config.COOKIE_SECRET, config.COOKIE_SECRET_PREVIOUS]) {
    if (!secret) continue
    const [given, expected] = [code, await sign(secret, purpose, text)].map((part) => encoder.encode(part))
    if (given && expected && given.byteLength === expected.byteLength && timingSafeEqual(given, expected))
      return true
  }
  return false
}

async function sign(secret: string, purpose: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign'])
  const message = encoder.encode(JSON.stringify([purpose, text]))
  return encodeBase64Url(new Uint8Array(await crypto.subtle.sign('HMAC', key, message)))
}

export const ORDER_LINK_TTL_MS = 180 * DAY_MS
const ORDER_PAGE_PURPOSE = 'order page'
const ORDER_KEY_PATTERN = /^([0-9a-z]{8,9})\.([\w-]{43})$/

export async function createOrderKey(number: string, ctx: ServiceContext): Promise<string> {
  const expires = (ctx.clock() + ORDER_LINK_TTL_MS).toString(36)
  return `${expires}.${await createSignature(ORDER_PAGE_PURPOSE, `${number} ${expires}`, ctx)}`
}

export async function verifyOrderKey(key: string, number: string, ctx: ServiceContext): Promise<boolean> {
  const [, expires = '', signature = ''] = ORDER_KEY_PATTERN.exec(key) ?? []
  const isSigned = await verifySignature(signature, ORDER_PAGE_PURPOSE, `${number} ${expires}`, ctx)
  return isSigned && parseInt(expires, 36) > ctx.clock()
}

export async function signOrderUrl(url: URL, ctx: ServiceContext): Promise<string> {
  const { number = '' } = matchRoute(url.pathname).params
  const search = { [ORDER_KEY_PARAM]: await createOrderKey(number, ctx) }
  return new URL(href('order', { number }, search), url).href
}

const UNSUBSCRIBE_PURPOSE = 'end stock alerts'

export async function createUnsubscribeLink(
  email: string,
  origin: string,
  ctx: ServiceContext,
): Promise<string> {
  const encodedEmail = encodeBase64Url(new TextEncoder().encode(email))
  const code = `${encodedEmail}.${await createSignature(UNSUBSCRIBE_PURPOSE, email, ctx)}`
  return `${origin}${STOCK_ALERTS_UNSUBSCRIBE_PATH}?${new URLSearchParams({ code })}`
}

export async function parseUnsubscribeCode(code: string, ctx: ServiceContext): Promise<string | undefined> {
  const [encodedEmail = '', signature = ''] = code.split('.')
  const email = decodeEmail(encodedEmail)
  return email !== undefined && (await verifySignature(signature, UNSUBSCRIBE_PURPOSE, email, ctx))
    ? email
    : undefined
}

function decodeEmail(encodedEmail: string): string | undefined {
  try {
    const bytes = atob(encodedEmail.replaceAll('-', '+').replaceAll('_', '/'))
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)),
    )
  } catch {
    return undefined
  }
}
