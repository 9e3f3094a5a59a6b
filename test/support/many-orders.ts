import { ORDER_STATUSES } from '#shared/orders/order-status.ts'
import { DAY_MS, MINUTE_MS } from '#shared/time.ts'

export const MANY_ORDERS = 5000

const ORDERS_PER_STATEMENT = 50_000
const ORDERS_PER_CUSTOMER = 4
const ITEMS = 64
/** Emails that were sent are deleted after this time. */
const EMAIL_DAYS = 90
/** Figures are kept for all years, and the orders cover only a few days. */
const FIGURE_DAYS = 7 * 365
const NAMES = [
  ['Amina', 'Wanjiru'],
  ['Brian', 'Otieno'],
  ['Faith', 'Chebet'],
  ['Kevin', 'Mwangi'],
  ['Zawadi', "O'Dhiambo"],
] as const

type ManyOrders = {
  orders?: number
  /** How many of the latest orders alternate between all statuses. Most earlier orders are delivered. */
  open?: number
  /** The bytes per email. The shop's have about 8,000. */
  emailBytes?: number
}

/**
 * Places one order per minute, from `P-000000` at `nowMs` backwards. The latest 1,000 belong to the customer `many`.
 */
export function createManyOrdersSql(
  nowMs: number,
  { orders = MANY_ORDERS, open = orders, emailBytes = 100 }: ManyOrders = {},
): string[] {
  const nth = (texts: readonly string[]) =>
    `CASE i % ${texts.length} ${texts.map((text, n) => `WHEN ${n} THEN '${text.replace("'", "''")}'`).join(' ')} END`
  const customers = orders / ORDERS_PER_CUSTOMER
  const placedAtMs = `${nowMs} - i * ${MINUTE_MS}`
  const status = `CASE WHEN i < ${open} THEN ${nth(ORDER_STATUSES)}
    WHEN i % 12 = 0 THEN 'cancelled' WHEN i % 12 = 1 THEN 'expired' ELSE 'delivered' END`
  const ranges = Array.from({ length: Math.ceil(orders / ORDERS_PER_STATEMENT) }, (_, n) => {
    const end = orders - n * ORDERS_PER_STATEMENT
    const start = Math.max(end - ORDERS_PER_STATEMENT, 0)
    return {
      numbers: `WITH RECURSIVE n(i) AS (SELECT ${end - 1} UNION ALL SELECT i - 1 FROM n WHERE i > ${start})`,
      isInRange: `orders.created_at_ms BETWEEN ${nowMs - (end - 1) * MINUTE_MS} AND ${nowMs - start * MINUTE_MS}`,
    }
  })
  const line = "FROM n, json_each('[0, 1]') line"
  return [
    `INSERT INTO users (id, email, name, password_hash, created_at_ms) VALUES ('many', 'many@shop.test', '', '', 0),
      ('deleted', '', '', '', 0)`,
    `INSERT INTO users (id, email, name, password_hash, created_at_ms, email_verified_at_ms)
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${customers - 1})
    SELECT 'u' || lower(hex(randomblob(2))) || i, i || '@shop.test', '', '', ${placedAtMs}, CASE WHEN i % 3 > 0 THEN 1 END FROM n`,
    `CREATE TABLE customer_ids AS SELECT row_number() OVER () - 1 AS i, id FROM users WHERE id NOT IN ('many', 'deleted')`,
    'CREATE UNIQUE INDEX customer_ids_i ON customer_ids (i)',
    `INSERT INTO account_events (id, user_id, kind, at_ms) SELECT id, id, 'signed_in', ${nowMs} - i % 180 * ${DAY_MS} FROM customer_ids`,
    `INSERT INTO sessions (id, user_id, cookie_hash, token_hash, created_at_ms, expires_at_ms)
    SELECT id, id, id, id, ${nowMs}, ${nowMs} + 14 * ${DAY_MS} FROM customer_ids WHERE i % 10 = 0`,
    `INSERT INTO stock (item_id, on_hand)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ITEMS}) SELECT i, 100000 FROM n`,
    ...ranges.flatMap(({ numbers, isInRange }) => [
      `INSERT INTO orders (id, number, user_id, idempotency_key, request_hash, status, first_name, last_name, email, address,
        country, state, zip, subtotal_cents, discount_cents, shipping_cents, vat_cents, total_cents, phone, created_at_ms)
      ${numbers}
      SELECT 'o' || lower(hex(randomblob(8))) || i, printf('P-%06d', i),
        CASE WHEN i < 1000 THEN 'many' WHEN i % 50 = 49 THEN 'deleted'
          ELSE (SELECT id FROM customer_ids WHERE customer_ids.i = n.i % ${customers}) END,
        'k' || i, '', ${status}, ${nth(NAMES.map(([first]) => first))}, ${nth(NAMES.map(([, last]) => last))},
        'many@shop.test', 'Moi Avenue ' || i, 'Kenya', 'Nairobi', '00100', 100000, 0, 0, 16000, 116000,
        printf('2547%08d', i), ${placedAtMs}
      FROM n`,
      `INSERT INTO order_lines (order_id, position, product_id, title, image, unit_price_cents, qty)
      ${numbers}
      SELECT orders.id, line.value, (i * 7 + line.value * 3) % ${ITEMS} + 1, 'Kikoi Romper', '/images/x.svg', 50000, 1
      ${line} JOIN orders ON orders.number = printf('P-%06d', i)`,
      `INSERT INTO stock_holds (order_id, item_id, qty, state)
      SELECT order_id, product_id, qty, CASE status WHEN 'awaiting_payment' THEN 'held' WHEN 'expired' THEN 'released'
        WHEN 'cancelled' THEN 'released' ELSE 'sold' END
      FROM orders JOIN order_lines ON order_lines.order_id = orders.id WHERE ${isInRange}`,
      `INSERT INTO payments (id, order_id, attempt, provider, state, amount_cents, phone, receipt, callback_hash,
        created_at_ms, ended_at_ms)
      SELECT 'p' || id, id, 1, 'mpesa', 'settled', 116000, phone, 'SKL' || substr(number, 3), lower(hex(randomblob(32))),
        created_at_ms, created_at_ms
      FROM orders WHERE ${isInRange}`,
      `INSERT INTO refunds (id, order_id, payment_id, amount_cents, reason, state, created_at_ms, completed_at_ms)
      SELECT 'r' || orders.id, orders.id, 'p' || orders.id, 116000, 'order_cancelled', 'done', orders.created_at_ms,
        orders.created_at_ms + ${DAY_MS}
      FROM orders WHERE ${isInRange} AND status = 'cancelled'`,
      `INSERT INTO order_returns (id, order_id, kind, state, reason, is_by_shopper, created_at_ms, changed_at_ms)
      SELECT 'q' || id, id, 'return', 'completed', 'size', 1, created_at_ms, created_at_ms
      FROM orders WHERE ${isInRange} AND status = 'delivered'`,
      `INSERT INTO return_lines (return_id, position, product_id, title, unit_price_cents, qty, is_restocked)
      SELECT order_returns.id, position, product_id, title, unit_price_cents, qty, 1
      FROM orders JOIN order_returns ON order_returns.order_id = orders.id JOIN order_lines ON order_lines.order_id = orders.id
      WHERE ${isInRange} AND position = 0`,
      `INSERT INTO order_events (order_id, status, at_ms)
      SELECT orders.id, step.value, created_at_ms FROM orders, json_each('["packed", "shipped", "delivered"]') step
      WHERE ${isInRange} AND status = 'delivered'`,
      `INSERT INTO outbox (id, kind, subject_id, recipient, subject, text, html, order_address, status, attempts,
        next_attempt_at_ms, created_at_ms, sent_at_ms)
      SELECT orders.id || kind.value, kind.value, orders.id, user_id || '@shop.test', number, hex(zeroblob(${emailBytes / 8})),
        hex(zeroblob(${(emailBytes / 8) * 3})), number, 'sent', 1, created_at_ms, created_at_ms, created_at_ms
      FROM orders, json_each('["order-confirmation", "order-shipped"]') kind
      WHERE ${isInRange} AND created_at_ms > ${nowMs - EMAIL_DAYS * DAY_MS}`,
    ]),
    `UPDATE stock SET held = (SELECT coalesce(sum(qty), 0) FROM stock_holds
      WHERE stock_holds.item_id = stock.item_id AND state = 'held')`,
    'DROP TABLE customer_ids',
    `INSERT OR IGNORE INTO figure_days (day, method)
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${FIGURE_DAYS})
    SELECT date(${nowMs} / 1000, 'unixepoch', -i || ' days'), method.value FROM n, json_each('["", "mpesa"]') method`,
  ]
}
