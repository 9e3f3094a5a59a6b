import { and, eq, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { closedDays, incomingPayments, orders, payments } from '#server/platform/db/schema.ts'
import type { Actor } from '#shared/team/roles.ts'
import type { ShopDay } from '#shared/time.ts'
import { type Suggestion, suggestOrders } from './list-incoming.ts'
import type { StatementProvider } from './statement.ts'

/**
 * `matched`: the shop and the provider agree. `differs`: on the amount. `suggested`: the provider has it, and an
 * order fits. `unknown`: the provider has it, and no order fits. `unconfirmed`: only the shop has it.
 */
export type EntryState = 'matched' | 'differs' | 'returned' | 'suggested' | 'unknown' | 'unconfirmed'

export type DayEntry = {
  key: string
  atMs: number
  receipt: string | null
  number: string | null
  shopCents: number | null
  providerCents: number | null
  state: EntryState
  suggestions: readonly Suggestion[]
  /** Since the day was closed. */
  change: 'added' | 'changed' | null
}

export type Reconciliation = {
  entries: readonly DayEntry[]
  shopCents: number
  providerCents: number
  closed: { atMs: number; actor: string } | null
  /** Receipts in the snapshot that the day no longer has. */
  removed: readonly string[]
}

type DayInput = { provider: StatementProvider; day: ShopDay }

/** Including those that customers made by hand. */
function isProviders(provider: StatementProvider): SQL | undefined {
  const isProvider = eq(payments.provider, provider)
  return provider === 'mpesa' ? or(isProvider, eq(payments.manualType, 'till')) : isProvider
}

export async function reconcileDay({ provider, day }: DayInput, ctx: OwnerContext): Promise<Reconciliation> {
  const { db } = ctx
  const isListedThen = and(
    eq(incomingPayments.provider, provider),
    gte(incomingPayments.paidAtMs, day.startMs),
    lt(incomingPayments.paidAtMs, day.endMs),
  )
  const isSettledThen = and(
    // With the plus, SQLite uses the index on the time.
    sql`+${payments.state} = 'settled'`,
    gte(payments.endedAtMs, day.startMs),
    lt(payments.endedAtMs, day.endMs),
  )
  const listedPayments = db
    .select({ id: incomingPayments.paymentId })
    .from(incomingPayments)
    .where(isListedThen)
  const selectPaid = (where: SQL | undefined) =>
    db
      .select({ payment: payments, number: orders.number })
      .from(payments)
      .innerJoin(orders, eq(orders.id, payments.orderId))
      .where(where)
  const [listed, settled, paidOtherwise, [closed]] = await db.batch([
    db.select().from(incomingPayments).where(isListedThen),
    selectPaid(and(isSettledThen, isProviders(provider))),
    selectPaid(inArray(payments.id, listedPayments)),
    db
      .select()
      .from(closedDays)
      .where(and(eq(closedDays.provider, provider), eq(closedDays.day, day.name))),
  ])
  const paid = new Map([...settled, ...paidOtherwise].map((row) => [row.payment.id, row]))
  const listedIds = new Set(listed.map(({ paymentId }) => paymentId))
  const isOpen = (row: (typeof listed)[number]) => row.paymentId === null && row.returnedAtMs === null
  const suggestions = await suggestOrders(listed.filter(isOpen), ctx)
  const entries = [
    ...listed.map((row): Omit<DayEntry, 'change'> => {
      const { receipt, amountCents: providerCents, paidAtMs: atMs } = row
      const match = row.paymentId === null ? undefined : paid.get(row.paymentId)
      const shopCents = match?.payment.state === 'settled' ? match.payment.amountCents : null
      const suggested = suggestions.get(receipt) ?? []
      const state = listedState({ row, shopCents, isSuggested: suggested.length > 0 })
      const common = { key: receipt, receipt, atMs, providerCents, shopCents, state }
      return { ...common, number: match?.number ?? null, suggestions: suggested }
    }),
    ...settled
      .filter(({ payment }) => !listedIds.has(payment.id))
      .map(
        ({ payment, number }): Omit<DayEntry, 'change'> => ({
          ...{
            key: payment.id,
            receipt: payment.receipt,
            atMs: payment.endedAtMs ?? payment.createdAtMs,
            number,
          },
          ...{ shopCents: payment.amountCents, providerCents: null, state: 'unconfirmed', suggestions: [] },
        }),
      ),
  ].sort((a, b) => a.atMs - b.atMs)
  const snapshot: Record<string, string> = closed ? JSON.parse(closed.snapshot) : {}
  const sum = (side: 'shopCents' | 'providerCents') =>
    entries.reduce((total, entry) => total + (entry[side] ?? 0), 0)
  const keys = new Set(entries.map(({ key }) => key))
  return {
    entries: entries.map((entry) => ({ ...entry, change: closed ? changeOf(entry, snapshot) : null })),
    ...{ shopCents: sum('shopCents'), providerCents: sum('providerCents') },
    closed: closed ? { atMs: closed.closedAtMs, actor: closed.actor } : null,
    removed: Object.keys(snapshot).filter((key) => !keys.has(key)),
  }
}

type Listed = {
  row: Pick<typeof incomingPayments.$inferSelect, 'amountCents' | 'returnedAtMs' | 'paymentId'>
  shopCents: number | null
  isSuggested: boolean
}

function listedState({ row, shopCents, isSuggested }: Listed): EntryState {
  if (shopCents !== null) return shopCents === row.amountCents ? 'matched' : 'differs'
  if (row.returnedAtMs !== null) return 'returned'
  return isSuggested ? 'suggested' : 'unknown'
}

type Recorded = Pick<DayEntry, 'key' | 'shopCents' | 'providerCents' | 'state'>

const summary = ({ shopCents, providerCents, state }: Recorded) => `${shopCents} ${providerCents} ${state}`

function changeOf(entry: Recorded, snapshot: Record<string, string>): DayEntry['change'] {
  const before = snapshot[entry.key]
  if (before === undefined) return 'added'
  return before === summary(entry) ? null : 'changed'
}

/** Stores a snapshot of the day; later changes to it are marked. */
export async function closeDay(
  { actor, ...input }: DayInput & { actor: Actor },
  ctx: OwnerContext,
): Promise<void> {
  const { entries } = await reconcileDay(input, ctx)
  const { provider, day } = input
  const closed = {
    closedAtMs: ctx.clock(),
    actor: actor.email,
    snapshot: JSON.stringify(Object.fromEntries(entries.map((entry) => [entry.key, summary(entry)]))),
  }
  const close = ctx.db
    .insert(closedDays)
    .values({ provider, day: day.name, ...closed })
    .onConflictDoUpdate({ target: [closedDays.provider, closedDays.day], set: closed })
  const audit = { actor, act: 'day.close', subject: provider, to: day.name } as const
  await commitAudited({ statements: [close], audit }, ctx)
}
