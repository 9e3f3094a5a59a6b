import type { Context } from 'hono'
import { deleteCookie, getCookie, getSignedCookie, setCookie, setSignedCookie } from 'hono/cookie'
import * as z from 'zod/mini'
import type { ServiceContext } from '#server/context.ts'
import { newId, sha256Hex } from '#server/platform/crypto.ts'
import { parseJson } from '#server/platform/http/parse-json.ts'

/** RFC 6265bis limits a cookie's lifetime to 400 days. */
const DEVICE_TTL_SECONDS = 400 * 24 * 60 * 60
const MAX_DEVICE_ACCOUNTS = 5
const ACCOUNT_DIGEST_CHARACTERS = 32

const sessionSchema = z.object({
  /** Distinguishes a session from other values that are signed with the same secret. */
  for: z.literal('session'),
  id: z.string(),
  secret: z.string(),
  name: z.string(),
  email: z.string(),
  expiresAtMs: z.number(),
})
export type SessionCookie = Omit<z.infer<typeof sessionSchema>, 'for'>

export async function readSessionCookie(c: Context, ctx: ServiceContext): Promise<SessionCookie | null> {
  const cookie = await readCookie(c, 'session', sessionSchema, ctx)
  return cookie && cookie.expiresAtMs > ctx.clock() ? cookie : null
}

/** Doesn't validate the cookies. */
export function hasPersonalCookie({ headers }: Request): boolean {
  const cookies = headers.get('Cookie')
  return cookies !== null && (cookies.includes('session=') || cookies.includes(`${REQUESTED_PAGE}=`))
}

export function sendSessionCookie(
  c: Context,
  ctx: Pick<ServiceContext, 'config' | 'clock'>,
  cookie: SessionCookie,
): Promise<void> {
  const maxAge = Math.floor((cookie.expiresAtMs - ctx.clock()) / 1000)
  return sendCookie(c, 'session', { for: 'session', ...cookie }, maxAge, ctx)
}

export async function sendLoginCookies(
  c: Context,
  ctx: ServiceContext,
  { cookie }: { cookie: SessionCookie },
): Promise<void> {
  await sendSessionCookie(c, ctx, cookie)
  await sendDeviceCookie(c, ctx, cookie.email)
}

export function clearSessionCookie(c: Context, { config }: ServiceContext): void {
  deleteCookie(c, 'session', getCookieOptions(c, config))
}

const REQUESTED_PAGE = 'requested'
const REQUESTED_PAGE_TTL_SECONDS = 300

export function setRequestedPageCookie(c: Context, page: string, { config }: ServiceContext): void {
  const options = { ...getCookieOptions(c, config), httpOnly: true, sameSite: 'Lax' } as const
  setCookie(c, REQUESTED_PAGE, page, { ...options, maxAge: REQUESTED_PAGE_TTL_SECONDS })
}

export function takeRequestedPage(c: Context, { config }: ServiceContext): string | null {
  const options = getCookieOptions(c, config)
  const page = getCookie(c, REQUESTED_PAGE, options.prefix)
  if (!page) return null
  deleteCookie(c, REQUESTED_PAGE, options)
  return page
}

export function clearBrowserData(c: Context, ctx: ServiceContext): void {
  clearSessionCookie(c, ctx)
  deleteCookie(c, 'device', getCookieOptions(c, ctx.config))
  c.header('Clear-Site-Data', '"storage"')
}

/** The cookie grants no access, but failed logins on a known device count separately (`login-attempts.ts`). */
const deviceSchema = z.object({
  for: z.literal('device'),
  id: z.string(),
  accounts: z.array(z.string()),
})
export type DeviceCookie = Omit<z.infer<typeof deviceSchema>, 'for'>

export function readDeviceCookie(c: Context, ctx: ServiceContext): Promise<DeviceCookie | null> {
  return readCookie(c, 'device', deviceSchema, ctx)
}

export async function sendDeviceCookie(c: Context, ctx: ServiceContext, identity: string): Promise<void> {
  const { id, accounts } = (await readDeviceCookie(c, ctx)) ?? { id: newId(ctx), accounts: [] }
  const digest = await digestAccount(id, identity)
  const others = accounts.filter((other) => other !== digest).slice(0, MAX_DEVICE_ACCOUNTS - 1)
  await sendCookie(c, 'device', { for: 'device', id, accounts: [digest, ...others] }, DEVICE_TTL_SECONDS, ctx)
}

export async function isKnownDevice(device: DeviceCookie | null, identity: string): Promise<boolean> {
  if (!device) return false
  return device.accounts.includes(await digestAccount(device.id, identity))
}

async function digestAccount(deviceId: string, identity: string): Promise<string> {
  return (await sha256Hex(`${deviceId} ${identity}`)).slice(0, ACCOUNT_DIGEST_CHARACTERS)
}

type CookieName = 'session' | 'device'

async function readCookie<Value>(
  c: Context,
  name: CookieName,
  schema: z.ZodMiniType<Value>,
  { config }: ServiceContext,
): Promise<Value | null> {
  if (!c.req.header('Cookie')) return null
  for (const secret of [config.COOKIE_SECRET, config.COOKIE_SECRET_PREVIOUS]) {
    const value = secret && (await getSignedCookie(c, secret, name, getCookieOptions(c, config).prefix))
    if (value) return schema.safeParse(parseJson(value)).data ?? null
  }
  return null
}

function sendCookie(
  c: Context,
  name: CookieName,
  value: z.infer<typeof sessionSchema> | z.infer<typeof deviceSchema>,
  maxAge: number,
  { config }: Pick<ServiceContext, 'config'>,
): Promise<void> {
  const options = { ...getCookieOptions(c, config), httpOnly: true, sameSite: 'Lax', maxAge } as const
  return setSignedCookie(c, name, JSON.stringify(value), config.COOKIE_SECRET, options)
}

/** `__Host-` cookies need https, so plain http outside production gets cookies without the prefix. */
function getCookieOptions(c: Context, { ENVIRONMENT }: ServiceContext['config']) {
  const isStrict = ENVIRONMENT === 'production' || new URL(c.req.url).protocol === 'https:'
  return { path: '/', ...(isStrict ? { prefix: 'host' as const, secure: true } : {}) }
}
