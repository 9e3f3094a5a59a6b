import type { Context } from 'hono'
import { deleteCookie, getSignedCookie, setSignedCookie } from 'hono/cookie'
import * as z from 'zod/mini'
import type { ServiceContext } from '#server/context.ts'
import { newId, sha256Hex } from '#server/platform/crypto.ts'

/** How long a device counts as known after its last sign-in, in seconds. Browsers keep cookies for 400 days at most. */
const DEVICE_TTL_SECONDS = 400 * 24 * 60 * 60
/** How many accounts a device can be known for. */
const MAX_DEVICE_ACCOUNTS = 5
/** The length of an account's digest, in hexadecimal: 128 bits. */
const ACCOUNT_MARK_CHARACTERS = 32

/** What the session cookie holds, signed: enough to show a page, and the secret that an API call is checked by. */
const sessionSchema = z.object({
  /** The signature's purpose: no other signed value is accepted as a session. */
  for: z.literal('session'),
  id: z.string(),
  secret: z.string(),
  name: z.string(),
  email: z.string(),
  /** Milliseconds since the epoch. */
  expiresAtMs: z.number(),
})
export type SessionCookie = Omit<z.infer<typeof sessionSchema>, 'for'>

/** The request's session cookie; null when there is none, it has expired, or its signature is not ours. */
export async function readSessionCookie(c: Context, ctx: ServiceContext): Promise<SessionCookie | null> {
  const cookie = await readCookie(c, 'session', sessionSchema, ctx)
  return cookie && cookie.expiresAtMs > ctx.clock() ? cookie : null
}

/** Whether a request brings anything that could be a session cookie; other cookies do not change what it is shown. */
export function hasSessionCookie({ headers }: Request): boolean {
  return headers.get('Cookie')?.includes('session=') ?? false
}

/** Sends the session cookie with the response. */
export function sendSessionCookie(
  c: Context,
  ctx: Pick<ServiceContext, 'config' | 'clock'>,
  cookie: SessionCookie,
): Promise<void> {
  const maxAge = Math.floor((cookie.expiresAtMs - ctx.clock()) / 1000)
  return sendCookie(c, 'session', { for: 'session', ...cookie }, maxAge, ctx)
}

/** Sends the cookies of a browser that has just signed in: the session's and the device's. */
export async function sendSignedInCookies(
  c: Context,
  ctx: ServiceContext,
  { cookie }: { cookie: SessionCookie },
): Promise<void> {
  await sendSessionCookie(c, ctx, cookie)
  await sendDeviceCookie(c, ctx, cookie.email)
}

/** Deletes the session cookie. */
export function clearSessionCookie(c: Context, { config }: ServiceContext): void {
  deleteCookie(c, 'session', cookieOptions(c, config))
}

/** Takes everything away that the browser knows of a visitor whose account is deleted: cookies, storage, this device. */
export function forgetVisitor(c: Context, ctx: ServiceContext): void {
  clearSessionCookie(c, ctx)
  deleteCookie(c, 'device', cookieOptions(c, ctx.config))
  c.header('Clear-Site-Data', '"storage"')
}

/** A browser that has signed in before. It grants no access, only attempts of its own (`services/auth/attempts.ts`). */
const deviceSchema = z.object({
  for: z.literal('device'),
  id: z.string(),
  /** A digest for each account that signed in on it, the latest first. */
  accounts: z.array(z.string()),
})
export type Device = Omit<z.infer<typeof deviceSchema>, 'for'>

/** The request's device cookie; null for a browser in which nobody has signed in. */
export function readDeviceCookie(c: Context, ctx: ServiceContext): Promise<Device | null> {
  return readCookie(c, 'device', deviceSchema, ctx)
}

/** Remembers that an account, by its address, has signed in on this device. */
export async function sendDeviceCookie(c: Context, ctx: ServiceContext, identity: string): Promise<void> {
  const { id, accounts } = (await readDeviceCookie(c, ctx)) ?? { id: newId(ctx), accounts: [] }
  const mark = await accountMark(id, identity)
  const others = accounts.filter((other) => other !== mark).slice(0, MAX_DEVICE_ACCOUNTS - 1)
  await sendCookie(c, 'device', { for: 'device', id, accounts: [mark, ...others] }, DEVICE_TTL_SECONDS, ctx)
}

/** Whether an account has signed in on a device. */
export async function isKnownDevice(device: Device | null, identity: string): Promise<boolean> {
  if (!device) return false
  return device.accounts.includes(await accountMark(device.id, identity))
}

async function accountMark(deviceId: string, identity: string): Promise<string> {
  return (await sha256Hex(`${deviceId} ${identity}`)).slice(0, ACCOUNT_MARK_CHARACTERS)
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
    const value = secret && (await getSignedCookie(c, secret, name, cookieOptions(c, config).prefix))
    if (value) return schema.safeParse(parsed(value)).data ?? null
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
  const options = { ...cookieOptions(c, config), httpOnly: true, sameSite: 'Lax', maxAge } as const
  return setSignedCookie(c, name, JSON.stringify(value), config.COOKIE_SECRET, options)
}

/** Browsers keep `__Host-` cookies to this host alone, but not all of them accept one over http://localhost. */
function cookieOptions(c: Context, { ENVIRONMENT }: ServiceContext['config']) {
  const isStrict = ENVIRONMENT === 'production' || new URL(c.req.url).protocol === 'https:'
  return { path: '/', ...(isStrict ? { prefix: 'host' as const, secure: true } : {}) }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
