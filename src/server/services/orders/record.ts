import { eq, type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { newId } from '../../crypto.ts'
import { brokenConstraint } from '../../db/errors.ts'
import { orderLines, orders, outbox, promotions, users } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { orderConfirmation, orderNotice } from '../../mail/order-mails.ts'
import { outboxRow } from '../../mail/outbox.ts'
import type { Result } from '../../result.ts'
import { recordActivity } from '../account/activity.ts'
import type { OrderLineRow, OrderRow } from './stored-order.ts'

/** D1 takes 100 bound parameters a statement, and a line has 7. */
const LINES_PER_STATEMENT = 14
/** How many order numbers are tried when one is already taken, which is rare. */
const NUMBER_ATTEMPTS = 4

/** A priced and paid order, before it has an id, a number and a time. */
export type NewOrder = {
  row: Omit<OrderRow, 'id' | 'number' | 'status' | 'createdAtMs'>
  lines: readonly Omit<OrderLineRow, 'orderId' | 'position'>[]
  /** The shop's public address, for links in the mails. */
  origin: string
}

/** `key_taken`: the user has placed an order under this key meanwhile. `promotion_exhausted`: another order took the last use. */
type RecordError = { code: 'key_taken' | 'promotion_exhausted' }

type RecordDeps = Pick<Deps, 'db' | 'clock' | 'randomBytes' | 'config'>

/**
 * Inserts an order, its lines, its promo code's use, both mails and the user's address in one batch: all or nothing.
 * Rejects when the database fails; the order may then exist or not, and sending the same key again shows which.
 */
export async function recordOrder(
  order: NewOrder,
  deps: RecordDeps,
): Promise<Result<{ row: OrderRow; lines: readonly OrderLineRow[] }, RecordError>> {
  for (let attempt = 1; ; attempt++) {
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
      return { ok: true, data: { row, lines } }
    } catch (error) {
      const broken = brokenConstraint(error) ?? ''
      if (broken.includes('orders.idempotency_key')) return { ok: false, error: { code: 'key_taken' } }
      if (broken.includes('promotions_within_limit'))
        return { ok: false, error: { code: 'promotion_exhausted' } }
      if (!broken.includes('orders.number') || attempt === NUMBER_ATTEMPTS) throw error
    }
  }
}

/** The order comes first: of two requests with one key, the later must fail on the key, not on a code that the first used up. */
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
    recordActivity({ kind: 'address_changed', userId: row.userId, client: null }, deps, addressDiffers(row)),
    db
      .update(users)
      .set({ firstName, lastName, address, address2, country, state, zip })
      .where(eq(users.id, row.userId)),
  ]
}

/** The user of an order, if the address that is remembered differs from the order's; the first one does not count. */
function addressDiffers({ userId, address, address2, country, state, zip }: OrderRow): SQL {
  const differs = sql`(${users.address}, coalesce(${users.address2}, ''), ${users.country}, ${users.state}, ${users.zip})
    <> (${address}, ${address2 ?? ''}, ${country}, ${state}, ${zip})`
  return sql`from ${users} where ${users.id} = ${userId} and ${users.address} is not null and ${differs}`
}

/** Digits and capitals without the pairs that are easily confused: 0 O, 1 I L, U V. */
export const ORDER_NUMBER_ALPHABET = '23456789ABCDEFGHJKMNPQRSTWXYZ'
const CHARACTERS = 6
/** Bytes from here on are skipped: they would make the first characters more likely. */
const FAIR_BYTES = 256 - (256 % ORDER_NUMBER_ALPHABET.length)

/** A random order number for people: `P-7K3M9Q`, one of some 600 million. */
export function newOrderNumber({ randomBytes }: Pick<Deps, 'randomBytes'>): string {
  let characters = ''
  while (characters.length < CHARACTERS) {
    for (const byte of randomBytes(CHARACTERS)) {
      if (byte < FAIR_BYTES) characters += ORDER_NUMBER_ALPHABET.charAt(byte % ORDER_NUMBER_ALPHABET.length)
    }
  }
  return `P-${characters.slice(0, CHARACTERS)}`
}
