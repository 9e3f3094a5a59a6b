import { sql } from 'drizzle-orm'
import type { Database } from '#server/platform/db/client.ts'

const SOLD = `orders.status IN ('placed', 'packed', 'shipped', 'ready', 'delivered')`
/** Callers close the parenthesis. */
const sum = (amounts: string) => `(SELECT coalesce(sum(${amounts}), 0)`
/** Callers close the parenthesis. */
const SUM_REFUNDS = `${sum('amount_cents')} FROM refunds WHERE order_id = orders.id`
/** The amount due, which is negative if the order is overpaid. */
const DUE = `iif(${SOLD}, max(total_cents - credited_cents - ${SUM_REFUNDS} AND reason IN ('return', 'other', 'order_cancelled')), 0), 0)
  - paid_cents + refund_cents`
const IS_SOLD = `${SOLD} AND (cash_on_delivery = 0 OR first_paid_at_ms IS NOT NULL)`
const toDay = (time: string) => `date(${time} / 1000, 'unixepoch', '+3 hours')`
const SOLD_DAY = toDay('iif(cash_on_delivery, first_paid_at_ms, orders.created_at_ms)')
const NOT_COLLECTED = `SELECT 1 FROM refunds WHERE payment_id = payments.id AND reason = 'not_collected'`
const FROM_RETURNED = `FROM return_lines JOIN order_returns ON id = return_id WHERE state IN ('received', 'completed')`

/** Queries that must return no rows. A row names an order, a payment or an item. */
const createInvariantQueries = (units: number): Record<string, string> => ({
  'without its lines': `SELECT number AS name FROM orders WHERE subtotal_cents = 0 OR subtotal_cents <>
    ${sum('unit_price_cents * qty')} FROM order_lines WHERE order_id = orders.id)`,
  'not adding up': `SELECT number AS name FROM orders WHERE total_cents % 100 <> 0
    OR abs(vat_cents * 100 - (subtotal_cents - discount_cents) * vat_percent) > 50
    OR abs(subtotal_cents - discount_cents + shipping_cents + vat_cents - total_cents) > 50`,
  'neither placed nor cancelled': `SELECT number AS name FROM orders WHERE NOT ${SOLD} AND status <> 'cancelled'`,
  'placed without a payment':
    'SELECT number AS name FROM orders WHERE paid_cents = 0 AND cash_on_delivery = 0',
  'with sums that differ from its payments or refunds': `SELECT number AS name FROM orders WHERE (paid_cents, refund_cents) IS NOT
    (SELECT ${sum('amount_cents')} FROM payments WHERE order_id = orders.id AND state = 'settled'), ${SUM_REFUNDS}))`,
  'with a sum that differs from the credits of its returns': `SELECT number AS name FROM orders WHERE credited_cents <>
    ${sum('credited_cents')} FROM order_returns WHERE order_id = orders.id)`,
  'with a sum that differs from the refunds that reduce what it costs': `SELECT number AS name FROM orders WHERE
    credit_refund_cents <> ${SUM_REFUNDS} AND reason IN ('return', 'other', 'order_cancelled'))`,
  'paid twice without a refund': `SELECT number AS name FROM orders WHERE ${DUE} < 0`,
  'not fully paid although nobody changed it': `SELECT number AS name FROM orders WHERE ${DUE} > 0
    AND cash_on_delivery = 0 AND number NOT IN (SELECT subject FROM audit_log WHERE act IN ('order.edit', 'return.receive'))`,
  'a payment refunded beyond its amount': `SELECT id AS name FROM payments WHERE
    ${sum('amount_cents')} FROM refunds WHERE payment_id = payments.id) > iif(state = 'settled', amount_cents, 0)`,
  'without its two emails': `SELECT number AS name FROM orders WHERE id IN (SELECT order_id FROM invoices) AND '1 1' IS NOT
    (SELECT sum(kind = 'order-confirmation') || ' ' || sum(kind = 'order-notice') FROM outbox WHERE subject_id = orders.id)`,
  'changed without an email for each change': `SELECT subject AS name FROM audit_log WHERE act = 'order.edit' AND subject NOT IN
    (SELECT number FROM orders JOIN outbox ON subject_id = orders.id AND kind = 'order-edited')`,
  'with documents that differ from its payments and completed refunds': `SELECT number AS name FROM orders
    WHERE ${sum('total_cents')} FROM invoices WHERE order_id = orders.id)
      <> paid_cents - ${SUM_REFUNDS} AND (state = 'done' OR reason IN ('extra_payment', 'late_payment')))`,
  'a kind of document with a gap in its numbers':
    'SELECT kind AS name FROM invoices GROUP BY kind HAVING count(*) <> max(number) OR min(number) <> 1',
  'a day whose figures differ from its documents': `SELECT day AS name FROM figure_days WHERE method = ''
    AND total_cents <> ${sum('total_cents')} FROM invoices WHERE ${toDay('issued_at_ms')} = day)`,
  'a day whose items differ from its documents': `SELECT day AS name FROM figure_days WHERE method = ''
    AND (gross_cents - discount_cents, returned_cents) IS NOT
      (SELECT ${sum('net_cents')} FROM figure_items WHERE figure_items.day = figure_days.day),
        ${sum('returned_cents')} FROM figure_items WHERE figure_items.day = figure_days.day))`,
  'with documents that are not its own sums, or more than nothing once all is refunded': `SELECT number AS name FROM orders
    JOIN order_documents ON order_id = id WHERE kind = 'all' AND (order_documents.shipping_cents > orders.shipping_cents
      OR min(order_documents.subtotal_cents, order_documents.discount_cents, order_documents.vat_cents,
        order_documents.shipping_cents) < 0
      OR order_documents.total_cents = 0 AND max(order_documents.subtotal_cents, order_documents.discount_cents,
        order_documents.vat_cents, order_documents.shipping_cents) > 0)`,
  'a day whose sales differ from its orders': `SELECT day AS name FROM sales_days WHERE (orders, total_cents) IS NOT
    (SELECT count(*), coalesce(sum(total_cents), 0) FROM orders WHERE ${IS_SOLD} AND ${SOLD_DAY} = day)`,
  'a day whose refunds differ from those of its orders': `SELECT day AS name FROM sales_days WHERE refunded_cents <>
    ${sum('credited_cents')} FROM orders WHERE ${IS_SOLD} AND ${SOLD_DAY} = day)
    + ${sum('amount_cents')} FROM refunds JOIN orders ON orders.id = order_id WHERE ${SOLD} AND refunds.state = 'done'
      AND reason IN ('return', 'other') AND ${toDay('completed_at_ms')} = day)`,
  'a day whose sold units differ from its orders': `SELECT period || ': ' || item_id AS name FROM sales_items
    WHERE period LIKE 'day %' AND units <> ${sum('qty')} FROM order_lines JOIN orders ON orders.id = order_id
      WHERE product_id = item_id AND ${IS_SOLD} AND 'day ' || ${SOLD_DAY} = period)`,
  'with a first payment that was not the first': `SELECT number AS name FROM orders WHERE first_paid_at_ms IS NOT
    (SELECT min(ended_at_ms) FROM payments WHERE order_id = orders.id AND state = 'settled' AND NOT EXISTS (${NOT_COLLECTED}))`,
  'a payment by hand that belongs to no order': `SELECT receipt AS name FROM payments WHERE provider = 'manual'
    AND receipt IS NOT NULL AND receipt NOT IN (SELECT receipt FROM incoming_payments WHERE payment_id = payments.id)
    AND id NOT IN (SELECT recorded_as FROM payments WHERE recorded_as IS NOT NULL)`,
  'a key with several orders': 'SELECT idempotency_key AS name FROM orders GROUP BY 1 HAVING count(*) > 1',
  'an email of no order': `SELECT subject_id AS name FROM outbox WHERE kind LIKE 'order-%'
    AND subject_id NOT IN (SELECT id FROM orders UNION SELECT id FROM payments UNION SELECT id FROM refunds)`,
  'an item with units lost or sold twice': `SELECT item_id AS name FROM stock WHERE on_hand <> ${units} - ${sum('qty')}
      FROM order_lines JOIN orders ON orders.id = order_id WHERE product_id = item_id AND ${SOLD})
    + ${sum('qty')} ${FROM_RETURNED} AND product_id = item_id AND kind = 'return' AND is_restocked)
    - ${sum('qty')} ${FROM_RETURNED} AND product_id = item_id AND kind = 'exchange' AND NOT is_restocked)`,
  'an item with units reserved for no order': `SELECT item_id AS name FROM stock WHERE held <> ${sum('qty')} FROM return_lines
    JOIN order_returns ON id = return_id WHERE state = 'expected' AND replacement_id = item_id)`,
})

/** `units` is the stock of every item before the first order. */
export async function findInvariantProblems(db: Database, units: number): Promise<string[]> {
  const queries = Object.entries(createInvariantQueries(units)).map(
    ([what, query]) => sql`(select ${what} || ': ' || group_concat(name, ', ') from (${sql.raw(query)}))`,
  )
  const query = sql`select json_array(${sql.join(queries, sql`, `)}) as problems`
  const { problems } = await db.get<{ problems: string }>(query)
  return (JSON.parse(problems) as (string | null)[]).filter((problem) => problem !== null)
}
