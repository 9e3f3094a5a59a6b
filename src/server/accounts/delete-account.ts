import { and, eq, exists, inArray, notExists, sql } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import { byPartPayment } from '#server/orders/amount-due.ts'
import { byTransition } from '#server/orders/order-transitions.ts'
import { expireOrdersStatements } from '#server/orders/release-order.ts'
import { byOpenRefundState } from '#server/payments/payment-transitions.ts'
import type { Client } from '#server/platform/auth/client.ts'
import type { Credential } from '#server/platform/auth/sessions.ts'
import { commitAuditedThenRead } from '#server/platform/db/audit.ts'
import { changeThenRead, insertRowWhere } from '#server/platform/db/client.ts'
import { failUnless, getGuardViolation } from '#server/platform/db/guards.ts'
import { orderEvents, orderReturns, orders, outbox, refunds, users } from '#server/platform/db/schema.ts'
import { deliverEmailsInBackground, toOutboxRow } from '#server/platform/email/outbox.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { toEmailIdentity } from '#shared/accounts/auth-forms.ts'
import type { OrderStatus } from '#shared/orders/order-status.ts'
import { OPEN_RETURN_STATES } from '#shared/orders/returns.ts'
import type { Actor } from '#shared/team/roles.ts'
import { createAccountDeletedEmail } from './emails.ts'
import { hashErasedBlocks, selectErasedBlocks } from './erased-blocks.ts'
import { withVerifiedPassword } from './own-password.ts'
import { DELETED_USER_ID, erasePersonalDataStatements } from './personal-data.ts'

const UNDELIVERED_STATUSES = [
  'placed',
  'packed',
  'shipped',
  'ready',
] as const satisfies readonly OrderStatus[]

type DeleteAccountInput = { credential: Credential | null; password: string; client: Client }

/**
 * Keeps the orders without their personal data, and a block as hashes. Fails with `account_has_orders` if an order is
 * undelivered, partly paid, or has an open refund or return.
 */
export async function deleteAccount(
  { credential, password, client }: DeleteAccountInput,
  ctx: ServiceContext,
): Promise<Result<null>> {
  const passwordInput = { credential, client, password, field: 'password' }
  return withVerifiedPassword(passwordInput, ctx, async ({ user, passwordHash, clearFailures }) => {
    const { db } = ctx
    const byVerifiedUser = and(eq(users.id, user.id), eq(users.passwordHash, passwordHash))
    const byUnchangedUser = exists(db.select({ id: users.id }).from(users).where(byVerifiedUser))
    const condition = sql`${byUnchangedUser} and ${notExists(selectOpenOrders(user.id, ctx))}`
    const emailRow = toOutboxRow(createAccountDeletedEmail(toEmailIdentity(user.email)), ctx)
    try {
      const statements = [
        failUnless(condition, 'accountChanged', ctx),
        ...eraseAccountStatements(user.id, ctx),
        clearFailures,
        db.insert(outbox).values(emailRow),
      ] as const
      const [blocks] = await changeThenRead(db, statements, [selectErasedBlocks(ctx)])
      ctx.waitUntil(hashErasedBlocks(blocks, ctx))
    } catch (error) {
      if (getGuardViolation(error)?.guard !== 'accountChanged') throw error
      const openOrders = await selectOpenOrders(user.id, ctx)
      const { email } = (await ctx.content.load()).pages.contact
      return {
        ok: false,
        error: createOpenOrdersError(openOrders, ` If it’s taking too long, please email ${email}.`),
      }
    }
    deliverEmailsInBackground(ctx)
    return { ok: true, data: null }
  })
}

export async function eraseAccount(
  { id, actor }: { id: string; actor: Actor },
  ctx: DataContext,
): Promise<Result<null>> {
  const audit = { actor, action: 'account.erase', subject: id } as const
  try {
    const condition = notExists(selectOpenOrders(id, ctx))
    const statements = [
      failUnless(condition, 'accountChanged', ctx),
      ...eraseAccountStatements(id, ctx),
    ] as const
    const [blocks] = await commitAuditedThenRead({ statements, audit, reads: [selectErasedBlocks(ctx)] }, ctx)
    await hashErasedBlocks(blocks, ctx)
  } catch (error) {
    if (getGuardViolation(error)?.guard !== 'accountChanged') throw error
    return { ok: false, error: createOpenOrdersError(await selectOpenOrders(id, ctx)) }
  }
  return { ok: true, data: null }
}

function eraseAccountStatements(userId: string, ctx: DataContext) {
  const { db } = ctx
  const byUser = eq(orders.userId, userId)
  const byUnpaidOrder = and(byUser, byTransition('cancelUnpaid', 'cancelled'))
  const cancelled = { orderId: sql`${orders.id}`, status: 'cancelled', atMs: ctx.clock() }
  const deletedUser = {
    id: DELETED_USER_ID,
    email: DELETED_USER_ID,
    name: '',
    passwordHash: '',
    createdAtMs: 0,
  }
  return [
    ...expireOrdersStatements(byUser, ctx),
    db
      .insert(orderEvents)
      .select(insertRowWhere(orderEvents, cancelled, sql`from ${orders} where ${byUnpaidOrder}`)),
    db.update(orders).set({ status: 'cancelled' }).where(byUnpaidOrder),
    db.insert(users).values(deletedUser).onConflictDoNothing(),
    ...erasePersonalDataStatements(userId, db),
  ]
}

function selectOpenOrders(userId: string, { db }: DataContext) {
  const byOpenRefund = sql`exists (select 1 from ${refunds} where ${refunds.orderId} = ${orders.id} and ${byOpenRefundState})`
  const byOpenReturn = sql`exists (select 1 from ${orderReturns} where ${orderReturns.orderId} = ${orders.id} and ${inArray(orderReturns.state, [...OPEN_RETURN_STATES])})`
  return db
    .select({ number: orders.number, status: orders.status, pickup: orders.pickup })
    .from(orders)
    .where(
      and(
        eq(orders.userId, userId),
        sql`(${inArray(orders.status, [...UNDELIVERED_STATUSES])} or ${byPartPayment} or ${byOpenRefund} or ${byOpenReturn})`,
      ),
    )
    .orderBy(orders.createdAtMs)
    .limit(1)
}

function createOpenOrdersError(
  openOrders: readonly { number: string; status: OrderStatus; pickup: string | null }[],
  help = '',
): ServiceError {
  const [order] = openOrders
  if (!order) return { code: 'unauthorized' }
  const isUndelivered = [...UNDELIVERED_STATUSES, 'awaiting_payment'].some(
    (status) => status === order.status,
  )
  const reason = isUndelivered
    ? `Your order ${order.number} hasn’t been ${order.pickup === null ? 'delivered' : 'picked up'} yet, and we still need your details for it.`
    : `A refund or return for order ${order.number} isn’t complete yet.`
  return {
    code: 'account_has_orders',
    details: { number: order.number, isUndelivered },
    message: `${reason} You can delete your account once that’s done.${help}`,
  }
}
