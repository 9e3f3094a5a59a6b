import { and, desc, eq, exists, gt, isNotNull, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { DataContext } from '#server/context.ts'
import { orders, payments } from '#server/platform/db/schema.ts'
import { createTooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { ServiceError } from '#server/platform/result.ts'
import { DAY_MS } from '#shared/time.ts'

const TEN_MINUTES_MS = 600_000

type PromptLimit = {
  /** `payer` if the phone has paid for the account before, otherwise `stranger`. */
  appliesTo: 'payer' | 'stranger'
  /**
   * Which prompts count: from this account to this phone, from strangers to this phone, or from this account to
   * strangers.
   */
  counts: 'pair' | 'strangersToPhone' | 'accountToStrangers'
  prompts: number
  withinMs: number
}

/**
 * A phone that has paid for the account has limits of its own, so that strangers who prompt this phone can't use up the
 * account's prompts to it.
 */
const PROMPT_LIMITS: readonly PromptLimit[] = [
  { appliesTo: 'payer', counts: 'pair', prompts: 6, withinMs: TEN_MINUTES_MS },
  { appliesTo: 'payer', counts: 'pair', prompts: 30, withinMs: DAY_MS },
  { appliesTo: 'stranger', counts: 'strangersToPhone', prompts: 6, withinMs: TEN_MINUTES_MS },
  { appliesTo: 'stranger', counts: 'strangersToPhone', prompts: 12, withinMs: DAY_MS },
  { appliesTo: 'stranger', counts: 'accountToStrangers', prompts: 12, withinMs: DAY_MS },
]

type Prompt = { userId: string; phone: string }

export function byPromptLimits(prompt: Prompt, ctx: DataContext): SQL {
  const { byPayer, selectCounted } = createPromptQueries(prompt, ctx)
  const isWithin = PROMPT_LIMITS.map((limit) => {
    const condition = limit.appliesTo === 'payer' ? byPayer : sql`not ${byPayer}`
    return sql`(not (${condition}) or (select count(*) from ${selectCounted(limit)}) < ${limit.prompts})`
  })
  return sql.join(isWithin, sql` and `)
}

export async function readPromptLimitError(
  prompt: Prompt,
  ctx: DataContext,
): Promise<ServiceError<'too_many_requests'>> {
  const { db, clock } = ctx
  const { byPayer, selectCounted } = createPromptQueries(prompt, ctx)
  const [first, ...others] = PROMPT_LIMITS.map((limit) =>
    db
      .select({
        isPayer: sql<number>`${byPayer}`.as('is_payer'),
        atMs: sql<number>`at_ms`.as('counted_at_ms'),
      })
      .from(selectCounted(limit))
      .limit(1)
      .offset(limit.prompts - 1),
  )
  const reads = first ? await db.batch([first, ...others]) : []
  const waits = PROMPT_LIMITS.flatMap((limit, index) => {
    const [row] = reads[index] ?? []
    const applies = row && Boolean(row.isPayer) === (limit.appliesTo === 'payer')
    return applies ? [row.atMs + limit.withinMs - clock()] : []
  })
  const reason = 'We’ve sent too many payment prompts.'
  return createTooManyRequestsError(Math.max(...waits, 1000), { reason, orElse: 'pay another way' })
}

function createPromptQueries({ userId, phone }: Prompt, { db, clock }: DataContext) {
  const paidPayments = alias(payments, 'paid')
  const payersOrders = alias(orders, 'payers_orders')
  const byEarlierPayment = (
    ownerId: string | typeof orders.userId,
    paidFrom: string | typeof payments.phone,
  ) =>
    exists(
      db
        .select({ id: paidPayments.id })
        .from(paidPayments)
        .innerJoin(payersOrders, eq(payersOrders.id, paidPayments.orderId))
        // The plus makes SQLite look up the phone instead of all settled payments.
        .where(
          and(
            eq(paidPayments.phone, paidFrom),
            sql`+${paidPayments.state} = 'settled'`,
            eq(payersOrders.userId, ownerId),
          ),
        ),
    )
  const conditions: Record<PromptLimit['counts'], SQL | undefined> = {
    pair: and(eq(orders.userId, userId), eq(payments.phone, phone)),
    strangersToPhone: and(
      eq(payments.phone, phone),
      sql`not ${byEarlierPayment(orders.userId, payments.phone)}`,
    ),
    accountToStrangers: and(
      eq(orders.userId, userId),
      // Prompts for older orders don't count, because otherwise SQLite would read all orders of the account.
      gt(orders.createdAtMs, clock() - DAY_MS - TEN_MINUTES_MS * 6),
      isNotNull(payments.phone),
      sql`not ${byEarlierPayment(userId, payments.phone)}`,
    ),
  }
  const selectCounted = ({ counts, withinMs }: PromptLimit) =>
    sql`(${db
      .select({ atMs: sql<number>`${payments.createdAtMs}`.as('at_ms') })
      .from(payments)
      .innerJoin(orders, eq(orders.id, payments.orderId))
      .where(and(gt(payments.createdAtMs, clock() - withinMs), conditions[counts]))
      .orderBy(desc(payments.createdAtMs))})`
  return { byPayer: byEarlierPayment(userId, phone), selectCounted }
}
