import { ORDER_STATUSES } from '#shared/rules/order-status.ts'

/** How many orders the office's budgets speak of. */
export const MANY_ORDERS = 5000

const MINUTE_MS = 60_000
const NAMES = [
  ['Amina', 'Wanjiru'],
  ['Brian', 'Otieno'],
  ['Faith', 'Chebet'],
  ['Kevin', 'Mwangi'],
  ['Zawadi', "O'Dhiambo"],
] as const

/**
 * SQL that stores 5,000 orders of one shopper, as many in each status, with two lines and a payment each: `P-000000` was
 * placed at `nowMs`, and each next one a minute before.
 */
export function manyOrders(nowMs: number): string[] {
  const nth = (texts: readonly string[]) =>
    `CASE i % ${texts.length} ${texts.map((text, n) => `WHEN ${n} THEN '${text.replace("'", "''")}'`).join(' ')} END`
  return [
    "INSERT INTO users (id, email, name, password_hash, created_at_ms) VALUES ('many', 'many@shop.test', '', '', 0)",
    `INSERT INTO orders (id, number, user_id, idempotency_key, request_hash, status, first_name, last_name, email, address,
      country, state, zip, subtotal_cents, discount_cents, shipping_cents, vat_cents, total_cents, phone, created_at_ms)
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY_ORDERS - 1})
    SELECT 'o' || i, printf('P-%06d', i), 'many', 'k' || i, '', ${nth(ORDER_STATUSES)},
      ${nth(NAMES.map(([first]) => first))}, ${nth(NAMES.map(([, last]) => last))},
      'many@shop.test', 'Moi Avenue ' || i, 'Kenya', 'Nairobi', '00100', 100000, 0, 0, 16000, 116000,
      printf('2547%08d', i), ${nowMs} - i * ${MINUTE_MS}
    FROM n`,
    `INSERT INTO order_lines (order_id, position, product_id, title, image, unit_price_cents, qty)
    SELECT orders.id, p.position, p.position + 1, 'Kikoi Romper', '/images/x.svg', 50000, 1
    FROM orders, (SELECT 0 AS position UNION SELECT 1) p`,
    `INSERT INTO payments (id, order_id, attempt, provider, state, amount_cents, receipt, created_at_ms, refund_state)
    SELECT 'p' || id, id, 1, 'mpesa', 'settled', 116000, 'SKL' || substr(number, 3), created_at_ms,
      CASE WHEN status = 'cancelled' THEN 'done' END
    FROM orders`,
  ]
}
