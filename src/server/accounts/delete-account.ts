import { and, eq, exists, inArray, notExists, sql } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import { expireStatements } from '#server/orders/release.ts'
import { mayTransition } from '#server/orders/transitions.ts'
import { isRefundOpen } from '#server/payments/transitions.ts'
import type { Client } from '#server/platform/auth/client.ts'
import type { Credential } from '#server/platform/auth/sessions.ts'
import { COMMAND_LINE, commitAudited } from '#server/platform/db/audit.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { failUnless, guardViolation } from '#server/platform/db/guards.ts'
import { orderEvents, orders, outbox, payments, users } from '#server/platform/db/schema.ts'
import { deliverInBackground, outboxRow } from '#server/platform/email/outbox.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { emailIdentity } from '#shared/accounts/auth-forms.ts'
import type { OrderStatus } from '#shared/orders/order-status.ts'
import { shop } from '#shared/shop.ts'
import { accountDeletedEmail } from './emails.ts'
import { withVerifiedPassword } from './own-password.ts'
import { DELETED_USER_ID, eraseStatements } from './personal-data.ts'

/** Paid for, and not with the shopper yet: without an address they could not be delivered. */
const UNDELIVERED = ['placed', 'packed', 'shipped', 'ready'] as const satisfies readonly OrderStatus[]

type DeleteInput = { credential: Credential | null; password: string; client: Client }

/**
 * Deletes the account of whoever knows its password, in one batch: orders stay for the books without the person, unpaid
 * ones are cancelled, and money that still comes for them is refunded. `account_has_orders` while something is to be
 * delivered or refunded. A last mail confirms it.
 */
export async function deleteAccount(
  { credential, password, client }: DeleteInput,
  ctx: ServiceContext,
): Promise<Result<null>> {
  const own = { credential, client, password, field: 'password' }
  return withVerifiedPassword(own, ctx, async ({ user, passwordHash, forgetFailures }) => {
    const { db } = ctx
    const verified = and(eq(users.id, user.id), eq(users.passwordHash, passwordHash))
    const sameUser = exists(db.select({ id: users.id }).from(users).where(verified))
    const isAllowed = sql`${sameUser} and ${notExists(unfinishedOrders(user.id, ctx))}`
    const mail = outboxRow(accountDeletedEmail(emailIdentity(user.email)), ctx)
    try {
      await db.batch([
        // The password may have been changed, or an order paid, while the password was verified.
        failUnless(isAllowed, 'accountChanged', ctx),
        ...erasure(user.id, ctx),
        forgetFailures,
        db.insert(outbox).values(mail),
      ])
    } catch (error) {
      if (guardViolation(error)?.guard !== 'accountChanged') throw error
      const unfinished = await unfinishedOrders(user.id, ctx)
      return { ok: false, error: notYet(unfinished) }
    }
    deliverInBackground(ctx)
    return { ok: true, data: null }
  })
}

/**
 * Deletes an account for the operator: one that a restored backup has brought back, or at its owner's request.
 * `account_has_orders` as for its owner; no mail.
 */
export async function eraseAccount({ id }: { id: string }, ctx: DataContext): Promise<Result<null>> {
  const audit = { actor: COMMAND_LINE, act: 'account.erase', subject: id } as const
  try {
    const isFinished = notExists(unfinishedOrders(id, ctx))
    const statements = [failUnless(isFinished, 'accountChanged', ctx), ...erasure(id, ctx)] as const
    await commitAudited({ statements, audit }, ctx)
  } catch (error) {
    if (guardViolation(error)?.guard !== 'accountChanged') throw error
    return { ok: false, error: notYet(await unfinishedOrders(id, ctx)) }
  }
  return { ok: true, data: null }
}

/** The statements that cancel what is not paid and leave nothing of a person but what the books need. */
function erasure(userId: string, ctx: DataContext) {
  const { db } = ctx
  const isOwn = eq(orders.userId, userId)
  const isUnpaid = and(isOwn, mayTransition('cancelUnpaid', 'cancelled'))
  const cancelled = { orderId: sql`${orders.id}`, status: 'cancelled', atMs: ctx.clock() }
  const nobody = {
    ...{ id: DELETED_USER_ID, email: DELETED_USER_ID, name: '', passwordHash: '', createdAtMs: 0 },
  }
  return [
    ...expireStatements(isOwn, ctx),
    db
      .insert(orderEvents)
      .select(insertRowWhere(orderEvents, cancelled, sql`from ${orders} where ${isUnpaid}`)),
    db.update(orders).set({ status: 'cancelled' }).where(isUnpaid),
    db.insert(users).values(nobody).onConflictDoNothing(),
    ...eraseStatements(userId, db),
  ]
}

/** The orders that somebody still waits for: goods to be delivered, or money to be refunded. */
function unfinishedOrders(userId: string, { db }: DataContext) {
  const isUnrefunded = sql`exists (select 1 from ${payments} where ${payments.orderId} = ${orders.id} and ${isRefundOpen})`
  return db
    .select({ number: orders.number, status: orders.status })
    .from(orders)
    .where(
      and(eq(orders.userId, userId), sql`(${inArray(orders.status, [...UNDELIVERED])} or ${isUnrefunded})`),
    )
    .orderBy(orders.createdAtMs)
    .limit(1)
}

function notYet(unfinished: readonly { number: string; status: OrderStatus }[]): ServiceError {
  const [order] = unfinished
  if (!order) return { code: 'unauthorized' }
  const isUndelivered = UNDELIVERED.some((status) => status === order.status)
  const reason = isUndelivered
    ? `Your order ${order.number} hasn’t been delivered yet, and we need your address for that.`
    : `Your refund for order ${order.number} isn’t complete yet.`
  return {
    code: 'account_has_orders',
    message: `${reason} You can delete your account afterwards. If it takes too long, email ${shop.email}.`,
  }
}
