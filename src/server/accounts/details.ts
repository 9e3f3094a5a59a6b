import { and, desc, eq, inArray, ne } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { recordActivityStatement } from '#server/platform/auth/activity.ts'
import type { Client } from '#server/platform/auth/client.ts'
import type { SessionCookie } from '#server/platform/auth/cookies.ts'
import { authenticate, type Credential, toUser } from '#server/platform/auth/sessions.ts'
import { orders, users } from '#server/platform/db/schema.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result } from '#server/platform/result.ts'
import {
  DETAILS_FIELDS,
  type Details,
  formatFullName,
  hasAddressChanged,
} from '#shared/accounts/account-forms.ts'
import type { LastOrder, User } from '#shared/accounts/contract.ts'
import { PAID_STATUSES } from '#shared/orders/order-status.ts'

type AccountDetails = { user: User; lastOrder: LastOrder | null }

/** Reads the account's details. If it has none, because a reset removed them, also those of its last order. */
export async function readDetails(
  { credential }: { credential: Credential | null },
  ctx: ServiceContext,
): Promise<Result<AccountDetails>> {
  const authenticated = await authenticate(credential, ctx)
  if (!authenticated.ok) return authenticated
  const { user } = authenticated.data
  const lastOrder = user.name === '' ? await findLastOrder(user.id, ctx) : null
  return { ok: true, data: { user: toUser(user), lastOrder } }
}

async function findLastOrder(userId: string, { db }: ServiceContext): Promise<LastOrder | null> {
  const byAddress = and(
    eq(orders.userId, userId),
    ne(orders.address, ''),
    inArray(orders.status, [...PAID_STATUSES]),
  )
  const row = await db.select().from(orders).where(byAddress).orderBy(desc(orders.createdAtMs)).limit(1).get()
  if (!row) return null
  const details = Object.fromEntries(DETAILS_FIELDS.map((field) => [field, row[field] ?? ''])) as Details
  return { number: row.number, details }
}

type ChangeDetailsInput = { credential: Credential | null; details: Details; client: Client }
/** Callers must send the returned cookie to the browser, because it contains the new name. */
export async function changeDetails(
  { credential, details, client }: ChangeDetailsInput,
  ctx: ServiceContext,
): Promise<Result<{ user: User; cookie: SessionCookie }>> {
  const authenticated = await authenticate(credential, ctx)
  if (!authenticated.ok) return authenticated
  const { user, cookie } = authenticated.data
  if (!(await ctx.limits.writes(`details of ${user.id}`))) return { ok: false, error: tooManyRequestsError }

  const { firstName, lastName, ...rest } = details
  const changed = {
    name: formatFullName(details),
    firstName,
    lastName,
    address: rest.address || null,
    address2: rest.address2 || null,
    country: rest.country || null,
    state: rest.state || null,
    zip: rest.zip || null,
    landmark: rest.landmark || null,
    phone: rest.phone || null,
  }
  const update = ctx.db.update(users).set(changed).where(eq(users.id, user.id))
  const shouldLogAddressChange = user.address !== null && hasAddressChanged(user, changed)
  if (shouldLogAddressChange)
    await ctx.db.batch([
      update,
      recordActivityStatement({ kind: 'address_changed', userId: user.id, client }, ctx),
    ])
  else await update
  return {
    ok: true,
    data: { user: toUser({ ...user, ...changed }), cookie: { ...cookie, name: changed.name } },
  }
}
