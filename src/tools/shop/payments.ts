import { and, asc, eq, gte, inArray, lt, or } from 'drizzle-orm'
import { newId } from '#server/crypto.ts'
import { orders, payments } from '#server/db/schema.ts'
import { orderRecordOf, readOrderRecord } from '#server/services/orders/order-with-payments.ts'
import { acceptedPayment, isUndecided, type PaymentRow } from '#server/services/payments/stored-payment.ts'
import { ToolError } from '../command.ts'
import { dayFrom } from './day.ts'
import type { ShopCommand, ShopContext } from './shop-command.ts'
import { moment, money, table } from './table.ts'

export const listPayments: ShopCommand = {
  usage: 'payments [list] [--day today]',
  summary:
    'payments that need attention: open, or to be given back; with --day, all that came in that day, to reconcile',
  words: [0, 0],
  options: { day: { type: 'string' } },
  async run({ options }, { db, clock }) {
    const day = options.day === undefined ? undefined : dayFrom(options.day, clock())
    const needsAttention = or(isUndecided, inArray(payments.refundState, ['due', 'requested', 'by_hand']))
    const cameIn =
      day &&
      and(
        eq(payments.state, 'settled'),
        gte(payments.endedAtMs, day.startMs),
        lt(payments.endedAtMs, day.endMs),
      )
    const rows = await db
      .select({ payment: payments, number: orders.number })
      .from(payments)
      .innerJoin(orders, eq(orders.id, payments.orderId))
      .where(cameIn ?? needsAttention)
      .orderBy(asc(payments.createdAtMs))
    const found = rows.map(({ payment: { callbackHash: _, ...payment }, number }) => ({ number, ...payment }))
    const empty = day ? 'No money came in.' : 'No payment needs attention.'
    return { text: paymentTable(found, empty), json: found }
  },
}

export const refundOrder: ShopCommand = {
  usage: 'refund <number> [--done]',
  summary: "gives an order's payment back at the next run; --done: it was given back by hand",
  words: [1, 1],
  options: { done: { type: 'boolean' } },
  async run({ words: [number = ''], options }, context) {
    const { db, clock } = context
    const { row, payments: all } = await orderNamed(number, context)
    const isDone = options.done !== undefined
    const payment = isDone
      ? all.find(({ refundState }) => refundState !== null && refundState !== 'done')
      : acceptedPayment(all)
    if (!payment) throw new ToolError(`Order ${row.number} has no payment to give back.`)
    if (!isDone && payment.refundState !== null)
      throw new ToolError(`The payment of order ${row.number} is being given back: ${payment.refundState}.`)
    const change = isDone
      ? { refundState: 'done' as const, refundedAtMs: clock(), nextRefundAtMs: null }
      : { refundState: 'due' as const, nextRefundAtMs: clock() }
    await db.update(payments).set(change).where(eq(payments.id, payment.id))
    const amount = money(payment.amountCents)
    const text = isDone
      ? `Noted: ${amount} of order ${row.number} was given back.`
      : `${amount} of order ${row.number} will be given back at the shop's next run, within five minutes.`
    return { text, json: { number: row.number, payment: payment.id, ...change } }
  },
}

export const recordPaid: ShopCommand = {
  usage: 'paid <number> --receipt <receipt>',
  summary: 'records money that came another way; the order is placed at the next run',
  words: [1, 1],
  options: { receipt: { type: 'string' } },
  async run({ words: [number = ''], options: { receipt = '' } }, context) {
    const { db, clock } = context
    const proof = receipt.trim().toUpperCase()
    if (!/^[\w./-]{3,40}$/.test(proof)) throw new ToolError('Name the receipt: --receipt SKL1A2B3C4')
    const { row, payments: all } = await orderNamed(number, context)
    if (!['awaiting_payment', 'expired'].includes(row.status))
      throw new ToolError(`Order ${row.number} is ${row.status}: it awaits no money.`)
    const nowMs = clock()
    await db
      .insert(payments)
      .values({
        id: newId(context),
        orderId: row.id,
        attempt: (all.at(-1)?.attempt ?? 0) + 1,
        provider: 'manual',
        state: 'pending',
        amountCents: row.totalCents,
        receipt: proof,
        createdAtMs: nowMs,
        nextCheckAtMs: nowMs,
      })
      .catch((error: unknown) => {
        if (!String(error instanceof Error ? error.cause : error).includes('payments.receipt')) throw error
        throw new ToolError(`The receipt ${proof} is recorded already, with another payment.`)
      })
    return {
      text: `Noted: ${money(row.totalCents)} for order ${row.number}, receipt ${proof}. The order is placed at the shop's next run, within five minutes.`,
      json: { number: row.number, receipt: proof },
    }
  },
}

async function orderNamed(number: string, { db }: ShopContext) {
  const isIt = eq(orders.number, number.trim().toUpperCase())
  const record = orderRecordOf(await db.batch(readOrderRecord(db, isIt)))
  if (!record) throw unknownOrder(number)
  return record
}

/** The refusal of a number that no order has. */
export function unknownOrder(number: string): ToolError {
  return new ToolError(`There is no order ${number}. The latest: npm run shop -- orders`)
}

type ListedPayment = Omit<PaymentRow, 'callbackHash'> & { number?: string }

/** Payments as a table, with their orders' numbers where they have them. */
export function paymentTable(rows: readonly ListedPayment[], empty = 'Nobody has tried to pay.'): string {
  return table(
    rows,
    [
      ...(rows.some(({ number }) => number)
        ? [{ heading: 'Order', text: ({ number = '' }: ListedPayment) => number }]
        : []),
      { heading: 'Begun', text: ({ createdAtMs }) => moment(createdAtMs) },
      { heading: 'By', text: ({ provider }) => provider },
      { heading: 'State', text: ({ state }) => state },
      { heading: 'Amount', text: ({ amountCents }) => money(amountCents), isFigure: true },
      { heading: 'Receipt', text: ({ receipt }) => receipt ?? '-' },
      { heading: 'Reference', text: ({ reference }) => reference ?? '-' },
      { heading: 'Refund', text: ({ refundState }) => refundState?.replace('_', ' ') ?? '-' },
      {
        heading: 'Reason',
        text: ({ refundError, error, problem }) => refundError ?? error ?? problem ?? '-',
      },
    ],
    empty,
  )
}
