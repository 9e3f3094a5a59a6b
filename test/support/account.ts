import { Hono } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { type SessionCookie, sendDeviceCookie, sendSessionCookie } from '#server/platform/auth/cookies.ts'
import { generateSession, type SessionUser } from '#server/platform/auth/sessions.ts'
import { newId } from '#server/platform/crypto.ts'
import { sessions, users } from '#server/platform/db/schema.ts'

type AccountOptions = Partial<typeof users.$inferInsert>

export type Account = {
  user: SessionUser
  sessionId: string
  token: string
  bearer: { Authorization: string }
  /** The session cookie. Its `__Host-` prefix requires https. */
  cookie: { Cookie: string }
  session: SessionCookie
}

/** Without a `passwordHash` option, no password works. */
export async function createAccount(ctx: ServiceContext, options: AccountOptions = {}): Promise<Account> {
  const [account] = await createAccounts(1, ctx, options)
  if (!account) throw new Error('The user was not stored.')
  return account
}

export async function createAccounts(howMany: number, ctx: ServiceContext, options: AccountOptions = {}) {
  const preparedAccounts = await Promise.all(
    Array.from({ length: howMany }, async () => {
      const id = newId(ctx)
      const row = { id, email: `${id.toLowerCase()}@shopper.test`, name: 'Amina Wanjiru', passwordHash: '' }
      const times = { createdAtMs: ctx.clock(), emailVerifiedAtMs: ctx.clock() }
      const user = { ...row, ...times, ...options }
      const insertUser = ctx.db.insert(users).values(user).returning()
      return { insertUser, ...(await prepareSession(ctx, user)) }
    }),
  )
  const [first, ...rest] = preparedAccounts
  if (!first) return []
  const rows = await ctx.db.batch([
    first.insertUser,
    ...rest.map(({ insertUser }) => insertUser),
    ...preparedAccounts.map(({ insert }) => insert),
  ])
  return preparedAccounts.map(({ insertUser: _, insert: __, ...session }, index): Account => {
    const [row] = rows[index] as (typeof users.$inferSelect)[]
    if (!row) throw new Error('The user was not stored.')
    const { passwordHash, createdAtMs, emailVerifiedAtMs, lastOrderAtMs, ...user } = row
    return { user, ...session }
  })
}

const DEVICE = { browser: 'Chrome on Android', country: 'KE' }

export async function createSession(ctx: ServiceContext, user: SessionUser): Promise<Omit<Account, 'user'>> {
  const { insert, ...session } = await prepareSession(ctx, user)
  await insert
  return session
}

async function prepareSession(ctx: ServiceContext, user: Pick<SessionUser, 'id' | 'name' | 'email'>) {
  const { row, token, secret } = await generateSession({ userId: user.id, client: DEVICE }, ctx)
  const { name, email } = user
  const cookie = { id: row.id, secret, name, email, expiresAtMs: row.expiresAtMs }
  return {
    insert: ctx.db.insert(sessions).values(row),
    sessionId: row.id,
    token,
    bearer: { Authorization: `Bearer ${token}` },
    cookie: { Cookie: await signCookie(ctx, cookie) },
    session: cookie,
  }
}

export async function signCookie(ctx: ServiceContext, value: SessionCookie): Promise<string> {
  const app = new Hono().get('/', async (c) => {
    await sendSessionCookie(c, ctx, value)
    return c.text('')
  })
  return toCookieHeader(await app.request('https://pamba.test/'))
}

export async function createDeviceCookie(ctx: ServiceContext): Promise<{ Cookie: string }> {
  const app = new Hono().get('/', async (c) => {
    await sendDeviceCookie(c, ctx, 'someone@shopper.test')
    return c.text('')
  })
  return { Cookie: toCookieHeader(await app.request('https://pamba.test/')) }
}

export function toCookieHeader(response: Response): string {
  return response.headers.get('Set-Cookie')?.split(';')[0] ?? ''
}
