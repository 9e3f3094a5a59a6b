import { describe, expect, it } from 'vitest'
import { orderLines, orders, payments, users } from '#server/db/schema.ts'
import { ORDER_STATUSES } from '#shared/rules/order-status.ts'
import { spiedDatabase } from '#test/support/database.ts'
import { NOW_MS } from '#test/support/deps.ts'
import { officeDeps, officeVisitor } from '#test/support/office.ts'

const ORDERS = 5000
const MAX_ROWS = 200
const NAMES = ['Amina Wanjiru', 'Brian Otieno', 'Faith Chebet', 'Kevin Mwangi', "Zawadi O'Dhiambo"]

/** Stores 5,000 orders, as many in each status, with two lines and a payment each. */
async function manyOrders({ db }: ReturnType<typeof officeDeps>): Promise<void> {
  await db
    .insert(users)
    .values({ id: 'many', email: 'many@shop.test', name: '', passwordHash: '', createdAtMs: 0 })
  await db.run(`
    INSERT INTO orders (id, number, user_id, idempotency_key, request_hash, status, first_name, last_name, email, address,
      country, state, zip, subtotal_cents, discount_cents, shipping_cents, vat_cents, total_cents, phone, created_at_ms)
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${ORDERS - 1})
    SELECT 'o' || i, printf('P-%06d', i), 'many', 'k' || i, '',
      ${`CASE i % ${ORDER_STATUSES.length} ${ORDER_STATUSES.map((status, index) => `WHEN ${index} THEN '${status}'`).join(' ')} END`},
      CASE i % 5 ${NAMES.map((name, index) => `WHEN ${index} THEN '${name.split(' ')[0]}'`).join(' ')} END,
      CASE i % 5 ${NAMES.map((name, index) => `WHEN ${index} THEN '${name.split(' ')[1]?.replace("'", "''")}'`).join(' ')} END,
      'many@shop.test', 'Moi Avenue ' || i, 'Kenya', 'Nairobi', '00100', 100000, 0, 0, 16000, 116000,
      printf('2547%08d', i), ${NOW_MS} - i * 60000
    FROM n`)
  await db.run(`
    INSERT INTO order_lines (order_id, position, product_id, title, image, unit_price_cents, qty)
    SELECT orders.id, p.position, p.position + 1, 'Kikoi Romper', '/images/x.svg', 50000, 1
    FROM orders, (SELECT 0 AS position UNION SELECT 1) p`)
  await db.run(`
    INSERT INTO payments (id, order_id, attempt, provider, state, amount_cents, receipt, created_at_ms, refund_state)
    SELECT 'p' || id, id, 1, 'mpesa', 'settled', 116000, 'SKL' || substr(number, 3), created_at_ms,
      CASE WHEN status = 'cancelled' THEN 'done' END
    FROM orders`)
}

describe('the board with 5,000 orders', async () => {
  const deps = officeDeps()
  await manyOrders(deps)
  let rows = 0
  const db = spiedDatabase(async (go) => {
    const answer = (await go()) as { meta?: { rows_read: number } }[]
    for (const { meta } of [answer].flat()) rows += meta?.rows_read ?? Number.NaN
    return answer
  })
  const visitor = await officeVisitor({ ...deps, db })
  const read = async (path: string) => {
    rows = 0
    const { status, text } = await visitor.get(path)
    expect(status).toBe(200)
    return { rows, text }
  }

  it.each([
    ['/', '>625<'],
    ['/?stage=pay', 'P-000000'],
    ['/?stage=send', 'P-004994'],
    ['/?stage=on-the-way', 'P-004996'],
    ['/?stage=done', 'P-000005'],
    [`/?stage=done&after=${NOW_MS - 60_000_000}.P-001000`, ''],
    ['/?q=P-0012', 'P-001200'],
    ['/?q=p-001234', 'P-001234'],
    ['/?q=001234', 'P-001234'],
    ['/?q=amina', 'Amina Wanjiru'],
    ['/?q=faith+che', 'Faith Chebet'],
    ["/?q=o'dh", 'Zawadi'],
    ['/?q=0700001234', 'P-001234'],
    ['/?q=%2B254700001234', 'P-001234'],
    ['/?q=skl001234', 'P-001234'],
    ['/?q=nobody+at+all', 'Nothing was found'],
  ])('reads at most 200 rows for %s', async (path, expected) => {
    const { rows, text } = await read(path)
    expect(text.includes(expected), expected).toBe(true)
    expect(rows).toBeLessThanOrEqual(MAX_ROWS)
  })

  it('leads from page to page through every order of a stage, once', async () => {
    const seen: string[] = []
    let path: string | undefined = '/?stage=on-the-way'
    for (let pages = 0; path && pages < 4; pages++) {
      const { text } = await read(path)
      seen.push(...[...text.matchAll(/order__number">(P-\d+)/g)].map(([, number = '']) => number))
      path = /href="(\/\?stage=on-the-way&amp;after=[^"]+)"/.exec(text)?.[1]?.replace('&amp;', '&')
    }
    expect(seen).toHaveLength(80)
    expect(new Set(seen).size).toBe(80)
    expect(seen).toEqual(seen.toSorted().reverse())
  })

  it('counts again what was changed and deleted', async () => {
    const id = 'counted'
    const { db } = deps
    const [waiting] = await db.select().from(orders).limit(1)
    if (!waiting) throw new Error('There are no orders.')
    await db
      .insert(orders)
      .values({ ...waiting, id, number: 'P-COUNTED', idempotencyKey: id, status: 'placed' })
    expect((await read('/')).text).toContain('>626<')
    await db.update(orders).set({ status: 'packed' })
    expect((await read('/')).text).toContain('>5001<')
    await db.delete(payments)
    await db.delete(orderLines)
    await db.delete(orders)
    expect((await read('/')).text).not.toContain('class="badge"')
  })
})
