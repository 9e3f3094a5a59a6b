import { eq, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { brokenConstraint } from '../../db/failure.ts'
import { orderLines, orders, outbox, promotions, users } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../ids.ts'
import { orderConfirmation } from '../../mail/order-confirmation.ts'
import { orderNotice } from '../../mail/order-notice.ts'
import { outboxRow } from '../../mail/outbox.ts'
import { newOrderNumber } from './order-number.ts'
import type { OrderLineRow, OrderRow } from './stored-order.ts'

/** D1 takes 100 bound parameters a statement, and a line has 7. */
const LINES_PER_STATEMENT = 14
/** How many numbers are tried when one is taken already, which hardly ever happens once. */
const NUMBER_TRIES = 4

/** An order that has been priced and paid for, before it has an id, a number and a time. */
export type NewOrder = {
  row: Omit<OrderRow, 'id' | 'number' | 'status' | 'createdAtMs'>
  lines: readonly Omit<OrderLineRow, 'orderId' | 'position'>[]
  /** The shop's public address, for links in the mails. */
  origin: string
}

export type RecordOutcome =
  | { kind: 'recorded'; row: OrderRow; lines: readonly OrderLineRow[] }
  /** The user has placed an order under this key meanwhile. */
  | { kind: 'key_taken' }
  /** Another order has taken the code's last use meanwhile. */
  | { kind: 'promotion_exhausted' }

type RecordDeps = Pick<Deps, 'db' | 'clock' | 'randomBytes' | 'config'>

/**
 * Writes an order, its lines, the use of its code, both mails and the remembered address in one batch: all or nothing.
 * Rejects when the database fails; the order may then have been written or not, and the same key tells.
 */
export async function recordOrder(order: NewOrder, deps: RecordDeps): Promise<RecordOutcome> {
  for (let tries = 1; ; tries++) {
    const row: OrderRow = {
      ...order.row,
      id: newId(deps),
      number: newOrderNumber(deps),
      status: 'placed',
      createdAtMs: deps.clock(),
    }
    const lines = order.lines.map((line, position) => ({ ...line, orderId: row.id, position }))
    try {
      await deps.db.batch(statements(row, lines, order.origin, deps))
      return { kind: 'recorded', row, lines }
    } catch (error) {
      const broken = brokenConstraint(error) ?? ''
      if (broken.includes('orders.idempotency_key')) return { kind: 'key_taken' }
      if (broken.includes('promotions_within_limit')) return { kind: 'promotion_exhausted' }
      if (!broken.includes('orders.number') || tries === NUMBER_TRIES) throw error
    }
  }
}

/** The order comes first: of two posts with one key the later must fail on the key, not on a code that the first used up. */
function statements(
  row: OrderRow,
  lines: readonly OrderLineRow[],
  origin: string,
  deps: RecordDeps,
): [BatchItem<'sqlite'>, ...BatchItem<'sqlite'>[]] {
  const { db } = deps
  const { firstName, lastName, address, address2, country, state, zip } = row
  const chunks = Array.from({ length: Math.ceil(lines.length / LINES_PER_STATEMENT) }, (_, index) =>
    lines.slice(index * LINES_PER_STATEMENT, (index + 1) * LINES_PER_STATEMENT),
  )
  const mails = [orderConfirmation(row, lines, origin), orderNotice(row, lines, deps.config.OPERATOR_EMAIL)]
  return [
    db.insert(orders).values(row),
    ...chunks.map((chunk) => db.insert(orderLines).values(chunk)),
    ...(row.promoCode === null
      ? []
      : [
          db
            .update(promotions)
            .set({ uses: sql`${promotions.uses} + 1` })
            .where(eq(promotions.code, row.promoCode)),
        ]),
    db.insert(outbox).values(mails.map((mail) => outboxRow(mail, deps))),
    db
      .update(users)
      .set({ firstName, lastName, address, address2, country, state, zip })
      .where(eq(users.id, row.userId)),
  ]
}
