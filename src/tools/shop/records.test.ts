import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, it } from 'vitest'
import { publishCatalogue } from '#server/catalogue/catalogue-versions.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import { connectDatabase } from '#server/platform/db/client.ts'
import {
  accountEvents,
  auditLog,
  contactMessages,
  orderLines,
  orderReturns,
  orders,
  outbox,
  passwordResets,
  payments,
  sessions,
  users,
  visitSpeeds,
} from '#server/platform/db/schema.ts'
import { DAY_MS } from '#shared/time.ts'
import { migrateDatabase, openLocalDatabase } from '../local-database.ts'
import { createShopContext, runCommand } from './commands.ts'

/** 21 November 2026, 09:05 in Nairobi. */
const NOW_MS = Date.UTC(2026, 10, 21, 6, 5)

const folder = mkdtempSync(path.join(tmpdir(), 'pamba-records-'))
const local = await openLocalDatabase(folder)
await migrateDatabase(local.db)
afterAll(async () => {
  await local.close()
  rmSync(folder, { recursive: true })
})
const db = connectDatabase(local.db)
const run = (...argv: string[]) => runCommand(argv, async () => createShopContext(local, () => NOW_MS))
const json = async (...argv: string[]): Promise<object> => JSON.parse(await run(...argv, '--json'))

let count = 0

async function placeOrder(values: Partial<typeof orders.$inferInsert> = {}): Promise<string> {
  const id = `id-${++count}`
  const number = `P-TEST${count}`
  await db.insert(users).values({ id, email: `${id}@shop.test`, name: '', passwordHash: '', createdAtMs: 0 })
  await db.insert(orders).values({
    ...{ id, number, userId: id, idempotencyKey: id, requestHash: '', status: 'placed', createdAtMs: NOW_MS },
    ...{ firstName: 'Akinyi', lastName: "O'Dhiambo", email: 'akinyi@shop.test', address: 'Moi Avenue 1' },
    ...{
      country: 'Kenya',
      state: 'Nairobi',
      zip: '00100',
    },
    ...{
      subtotalCents: 200_000,
      discountCents: 20_000,
      shippingCents: 0,
      vatCents: 28_800,
      totalCents: 208_800,
    },
    ...values,
  })
  await db.insert(orderLines).values({
    ...{ orderId: id, position: 0, productId: 7, title: 'Kikoi Romper', image: '/x.svg' },
    ...{ unitPriceCents: 100_000, qty: 2 },
  })
  const state = values.status === 'awaiting_payment' ? 'declined' : 'settled'
  await db.insert(payments).values({
    ...{ id, orderId: id, attempt: 1, provider: 'simulated', state, amountCents: 208_800 },
    ...{ reference: `ref-${count}`, createdAtMs: NOW_MS, endedAtMs: values.createdAtMs ?? NOW_MS },
  })
  return number
}

describe('npm run shop', () => {
  it('prints the books of a period, or exports them to a file', async () => {
    const number = await placeOrder({ createdAtMs: NOW_MS - 30 * DAY_MS })
    const period = ['--from', '2026-10-22', '--to', '2026-10-22']
    expect(await run('books', 'orders', ...period)).toContain(`${number},2026-10-22 09:05:00,Placed,Akinyi`)
    const file = path.join(folder, 'lines.json')
    expect(await run('books', 'lines', ...period, '--format', 'json', '--out', file)).toBe(
      `Exported lines for 2026-10-22 to ${file}.`,
    )
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject([{ number, title: 'Kikoi Romper', qty: 2 }])
    await expect(run('books', 'orders', '--from', '2026-10-23', '--to', '2026-10-22')).rejects.toThrow(
      'must be days',
    )
    await expect(run('books', 'everything')).rejects.toThrow('Use one of: orders, lines')
  })

  it('lists the orders with a status as a table', async () => {
    const number = await placeOrder({ status: 'packed' })
    const [heading, ...rows] = (await run('orders', '--status', 'packed')).split('\n')
    expect(heading).toMatch(/^Number +Status +Payment +Placed +Total +Name +Email +County$/)
    expect(rows.find((row) => row.startsWith(`${number} `))).toMatch(
      /^P-TEST\d+ +packed +Paid +2026-11-21 09:05 +KSH 2,088 +Akinyi O'Dhiambo +akinyi@shop\.test +Nairobi$/,
    )
  })

  it('deletes an account once its orders are delivered, and keeps the orders without personal data', async () => {
    const number = await placeOrder({ status: 'packed' })
    const { userId = '' } = (await db.select().from(orders).where(eq(orders.number, number)).get()) ?? {}
    expect(await json('accounts')).toContainEqual({
      id: userId,
      email: `${userId}@shop.test`,
      createdAtMs: 0,
    })
    await expect(run('accounts', 'erase', userId)).rejects.toThrow(
      `Your order ${number} hasn’t been delivered yet`,
    )
    await db.update(orders).set({ status: 'delivered' }).where(eq(orders.number, number))
    expect(await run('accounts', 'erase', userId)).toContain(`Deleted account ${userId}.`)
    expect(await db.select().from(orders).where(eq(orders.number, number))).toMatchObject([
      { userId: 'deleted', firstName: '', address: '', totalCents: 208_800 },
    ])
    await expect(run('accounts', 'erase', userId)).rejects.toThrow('No account matches')
    await expect(run('accounts', 'erase', 'deleted')).rejects.toThrow('No account matches')
    expect(JSON.stringify(await json('accounts'))).not.toContain('"deleted"')
  })

  it('creates an order for a customer on the phone: unpaid, paid, or paid on delivery if the shop allows it', async () => {
    const details = ['--first-name', 'Njeri', '--phone', '0712 345 678', '--address', 'Ngong Road 12']
    const created = await run('orders', 'create', '--items', '1:2', ...details)
    expect(created).toMatch(/^Order P-\w{6} created: KSH 4,292, to be paid by /)
    const paid = await run('orders', 'create', '--items', '1:1', ...details, '--paid', 'cash')
    const number = /P-\w{6}/.exec(paid)?.[0] ?? ''
    expect(await json('orders', 'show', number)).toMatchObject({
      ...{ firstName: 'Njeri', status: 'awaiting_payment' },
      payments: [{ provider: 'manual', manualType: 'cash' }],
    })
    const onDelivery = ['orders', 'create', '--items', '1:2', ...details, '--on-delivery']
    await expect(run(...onDelivery)).rejects.toThrow('This order can’t be paid on delivery')
    const payments = { cashOnDelivery: true, cashMaxKsh: 5000, cashCounties: ['Nairobi'], payByHand: false }
    const items = readFileSync('public/Items.json', 'utf8')
    const version = {
      items,
      content: JSON.stringify({ payments }),
      base: 0,
      actor: COMMAND_LINE_ACTOR,
      changes: '',
    }
    await publishCatalogue(
      version,
      createShopContext(local, () => NOW_MS),
    )
    expect(await run(...onDelivery)).toMatch(/created: KSH 4,292, to be paid on delivery\.$/)
    await expect(run('orders', 'create', '--items', '1:1')).rejects.toThrow('First name is required')
    await expect(run('orders', 'create', '--items', '1:1', '--hours', '5')).rejects.toThrow(
      'Unknown number of hours "5"',
    )
  })

  it('edits an order, completes the return of an item, and cancels and approves an exchange', async () => {
    const number = await placeOrder()
    expect(await run('orders', 'edit', number, '--address', 'Moi Avenue 9', '--items', '7:1,5:1')).toMatch(
      new RegExp(`^Order ${number} changed\\. Its total is KSH [\\d,]+\\.$`),
    )
    expect(await json('orders', 'show', number)).toMatchObject({
      address: 'Moi Avenue 9',
      lines: [
        { productId: 7, qty: 1 },
        { productId: 5, qty: 1 },
      ],
    })
    await expect(run('orders', 'edit', number, '--items', 'two')).rejects.toThrow('--items must look like')
    await expect(run('orders', 'edit', 'P-NOWHERE', '--phone', '1')).rejects.toThrow(
      "Order P-NOWHERE doesn't exist",
    )
    await expect(run('orders', 'edit', number, '--phone', 'x')).rejects.toThrow('valid phone number')
    await expect(run('orders', 'return', number, 'create', '--items', '7:1')).rejects.toThrow(
      'hasn’t been sent yet',
    )
    await db.update(orders).set({ status: 'delivered' }).where(eq(orders.number, number))
    expect(await run('orders', 'return', number, 'create', '--items', '7:1', '--reason', 'size')).toMatch(
      /^Return: 1.× Kikoi Romper: expected\.$/,
    )
    expect(await run('orders', 'return', number, 'receive', '--no-restock')).toMatch(/: received\.$/)
    expect(await run('orders', 'return', number, 'complete', '--refund', '100')).toMatch(/: completed\.$/)
    await expect(run('orders', 'return', number, 'create', '--items', '7:1')).rejects.toThrow(
      "can't be returned",
    )
    expect(await run('orders', 'return', number, 'create', '--items', '5:1', '--exchange', '6')).toContain(
      '→',
    )
    expect(await run('orders', 'return', number, 'cancel')).toMatch(/: cancelled\.$/)
    await db.update(orderReturns).set({ state: 'requested' }).where(eq(orderReturns.state, 'cancelled'))
    expect(await run('orders', 'return', number, 'approve')).toMatch(/→ .*: expected\.$/)
    await expect(run('orders', 'return', number, 'lose')).rejects.toThrow('Unknown step "lose"')
  })

  it('lists at most --limit of the latest orders', async () => {
    const number = await placeOrder({ createdAtMs: NOW_MS + ++count * DAY_MS })
    expect(await json('orders', '--limit', '1')).toMatchObject([{ number, totalCents: 208_800 }])
  })

  it('shows an order with its lines and totals, without its idempotency key', async () => {
    const number = await placeOrder()
    const text = await run('orders', 'show', number.toLowerCase())
    expect(text).toContain(`Order ${number}, placed, paid, placed 2026-11-21 09:05`)
    expect(text).toMatch(/simulated +settled +KSH 2,088 +- +ref-\d+/)
    expect(text).toMatch(/ 7 +Kikoi Romper +KSH 1,000 +2 +KSH 2,000/)
    expect(text).toMatch(/^Discount: −KSH 200$/m)
    expect(text).toMatch(/^Total: KSH 2,088$/m)
    const order = await json('orders', 'show', number)
    expect(order).toMatchObject({ number, lines: [{ productId: 7, qty: 2 }] })
    expect(order).not.toHaveProperty('idempotencyKey')
  })

  it('moves an order to its next status, and refuses to change a final one', async () => {
    const number = await placeOrder()
    expect(await run('orders', 'status', number, 'packed')).toBe(`Order ${number}: placed → packed.`)
    await expect(run('orders', 'status', number, 'delivered')).rejects.toThrow(
      'The order is packed. It can become shipped or cancelled or placed.',
    )
    await run('orders', 'status', number, 'cancelled')
    await expect(run('orders', 'status', number, 'packed')).rejects.toThrow(
      'The order is cancelled, which is final.',
    )
    expect(await json('orders', 'show', number)).toMatchObject({ status: 'cancelled' })
  })

  it('shows messages without terminal control characters', async () => {
    const id = `message-${++count}`
    const message = 'Habari\n\u001b[2Jdo you ship?'
    await db
      .insert(contactMessages)
      .values({ id, name: 'Otieno', email: 'o@shop.test', message, createdAtMs: NOW_MS + count })
    expect(await run('messages', '--limit', '1')).toBe(
      '2026-11-21 09:05  Otieno <o@shop.test>\n  Habari\n   [2Jdo you ship?',
    )
    expect(await json('messages', '--limit', '1')).toMatchObject([{ id, message }])
  })

  it('creates a promo code and ends it', async () => {
    const code = `PUNGUZO-${++count}`
    expect(
      await run(
        'promotions',
        'create',
        code.toLowerCase(),
        ...['--percent', '15', '--minimum', '1500'],
        ...['--from', '2026-12-01', '--until', '2026-12-31', '--uses', '40'],
      ),
    ).toBe(`Created ${code}: 15% off, first day 2026-12-01, last day 2026-12-31.`)
    expect(await run('promotions')).toMatch(
      new RegExp(`^${code} +scheduled +15% +KSH 1,500 +0 of 40 +2026-12-01 +2026-12-31$`, 'm'),
    )
    await expect(run('promotions', 'create', code, '--fixed', '50')).rejects.toThrow(
      `The code ${code} already exists. Choose another one.`,
    )
    expect(await run('promotions', 'end', code)).toBe(`Ended ${code}. It was used 0 times.`)
    await expect(run('promotions', 'end', code)).rejects.toThrow('This promo code has expired.')
    expect(await run('promotions')).toMatch(new RegExp(`^${code} +ended`, 'm'))
  })

  it.each([
    [['create', 'x', '--percent', '10'], 'Code must be 3 to 40 characters'],
    [['create', "A'; DROP TABLE orders", '--percent', '10'], 'Code must be 3 to 40 characters'],
    [['create', 'GOOD'], 'either --percent 10 or --fixed 200'],
    [['create', 'GOOD', '--percent', '10', '--fixed', '5'], 'either --percent 10 or --fixed 200'],
    [['create', 'GOOD', '--percent', '101'], '--percent must be a whole number from 1 to 100, not "101".'],
    [['create', 'GOOD', '--fixed', '0'], '--fixed must be an amount in KSH such as 200, not "0".'],
    [['create', 'GOOD', '--fixed', '1,5'], 'not "1,5".'],
    [['create', 'GOOD', '--percent', '5', '--uses', '0'], '--uses must be a whole number'],
    [['create', 'GOOD', '--percent', '5', '--until', '2026-02-30'], '"2026-02-30" isn\'t a day'],
    [
      ['create', 'GOOD', '--percent', '5', '--until', '2026-11-20'],
      'The last day can’t be in the past or before the first day.',
    ],
    [
      ['create', 'GOOD', '--percent', '5', '--from', '2026-12-02', '--until', '2026-12-01'],
      'The last day can’t be in the past or before the first day.',
    ],
    [['end', 'NOWHERE'], 'We don’t recognise this code.'],
  ])('refuses promotions %j', async (words, sentence) => {
    await expect(run('promotions', ...words)).rejects.toThrow(sentence)
  })

  it('lists only stuck emails', async () => {
    const createEmail = (id: string, values: Partial<typeof outbox.$inferInsert>) => ({
      ...{
        id: `${id}-${count}`,
        kind: 'order-confirmation' as const,
        subjectId: 'x',
        recipient: `${id}@shop.test`,
      },
      ...{ subject: '', text: 'secret', html: '', nextAttemptAtMs: NOW_MS, createdAtMs: NOW_MS },
      ...values,
    })
    count++
    await db
      .insert(outbox)
      .values([
        createEmail('fresh', {}),
        createEmail('sent', { status: 'sent', attempts: 2, sentAtMs: NOW_MS }),
        createEmail('retrying', { attempts: 3, lastError: 'E_RATE: slow down' }),
        createEmail('lost', { status: 'failed', attempts: 9, lastError: 'E_NO_MAILBOX' }),
      ])
    const text = await run('emails')
    expect(text).toMatch(/retrying@shop\.test +retrying +3 +2026-11-21 09:05 +E_RATE: slow down/)
    expect(text).toMatch(/lost@shop\.test +given up +9 +- +E_NO_MAILBOX/)
    expect(text).not.toMatch(/fresh@|sent@|secret/)
    expect(JSON.stringify(await json('emails'))).not.toContain('secret')
  })

  it('shows the figures for a day', async () => {
    const startMs = Date.UTC(2025, count++, 10, 21)
    const day = new Date(startMs + DAY_MS / 2).toISOString().slice(0, 10)
    await placeOrder({ createdAtMs: startMs })
    await placeOrder({ createdAtMs: startMs + DAY_MS - 1, status: 'packed' })
    await placeOrder({ createdAtMs: startMs + 5, status: 'cancelled' })
    await placeOrder({ createdAtMs: startMs - 1 })
    await placeOrder({ createdAtMs: startMs + DAY_MS })
    expect(await json('figures', day)).toMatchObject({
      ...{ day, orders: 2, discountCents: 40_000, vatCents: 57_600, totalCents: 417_600 },
      items: [{ itemId: 7, units: 4 }],
    })
    const text = await run('figures', day)
    expect(text).toMatch(new RegExp(`^Figures for ${day} +Sum\\n`))
    expect(text).toMatch(/^Total +KSH 4,176$/m)
    expect(text).toMatch(/^Net sales paid by Card \(2\) +KSH 3,600$/m)
    expect(text).toMatch(/^ +4 +Kikoi Romper \(7\) +KSH 3,600$/m)
  })

  it('lists the payments of a day, and refunds one in parts, up to what was paid', async () => {
    const startMs = Date.UTC(2024, count++, 10, 21)
    const day = new Date(startMs + DAY_MS / 2).toISOString().slice(0, 10)
    const number = await placeOrder({ createdAtMs: startMs })
    expect(await run('payments', '--day', day)).toMatch(
      new RegExp(`^${number} +2.*simulated +settled +KSH 2,088`, 'm'),
    )
    expect(await run('orders', 'refund', number, '--amount', '500', '--reason', 'return')).toContain(
      'KSH 500',
    )
    for (const amount of ['1600', '0', '-5', 'all', '12.5'])
      await expect(run('orders', 'refund', number, `--amount=${amount}`)).rejects.toThrow(
        'Amount must be from KSH 1 to KSH 1,588, in whole shillings.',
      )
    await expect(run('orders', 'refund', number, '--reason', 'x')).rejects.toThrow(
      'Use one of: return, other',
    )
    expect(await run('payments')).toMatch(new RegExp(`^${number} .* KSH 500 due `, 'm'))
    expect(await run('orders', 'refund', number, '--done')).toContain('Marked KSH 500')
    expect(await run('orders', 'refund', number)).toContain('KSH 1,588')
    await expect(run('orders', 'refund', number)).rejects.toThrow('A refund has already been requested')
    expect(await run('payments')).toMatch(new RegExp(`^${number} .* due `, 'm'))
    expect(await run('orders', 'refund', number, '--done')).toContain('as refunded')
    expect(await run('payments')).not.toContain(`${number} `)
  })

  it('records a manual payment once, for an order that awaits payment', async () => {
    const number = await placeOrder({ status: 'awaiting_payment' })
    const receipt = `SKL${count}`
    const paid = ['paid', number, '--by', 'till', '--reference', receipt]
    expect(await run(...paid)).toContain(`Recorded KSH 2,088 for order ${number}, reference ${receipt}.`)
    await expect(run(...paid)).rejects.toThrow('is already recorded')
    await expect(run('paid', number)).rejects.toThrow('--by cash, --by till, --by bank')
    await expect(run('paid', await placeOrder(), '--by', 'cash')).rejects.toThrow(
      'This order isn’t awaiting payment.',
    )
    expect(await run('payments')).toMatch(new RegExp(`^${number} .*manual +pending .* ${receipt} `, 'm'))
  })

  it('writes one audit log entry per action, and none for a refused one', async () => {
    const [number, unpaid] = [await placeOrder(), await placeOrder({ status: 'awaiting_payment' })]
    const [code, receipt] = [`PUNGUZO-${++count}`, `SKM${count}`]
    const actions: [words: string[], lines: (string | null)[][]][] = [
      [['orders', 'status', number, 'packed'], [['order.status', number, 'placed', 'packed']]],
      [['orders', 'status', number, 'delivered'], []],
      [['orders', 'refund', number], [['order.refund', number, 'kept', 'KSH 2,088']]],
      [['orders', 'refund', number, '--done'], [['order.refunded', number, 'due', 'KSH 2,088']]],
      [['orders', 'status', number, 'cancelled'], [['order.cancel', number, 'packed', 'cancelled']]],
      [
        ['paid', unpaid, '--by', 'bank', '--reference', receipt],
        [['order.paid', unpaid, 'awaiting_payment', `KSH 2,088, Bank transfer, ${receipt}`]],
      ],
      [['promotions', 'create', code, '--percent', '15'], [['promotion.create', code, null, '15%']]],
      [['promotions', 'end', code], [['promotion.end', code, null, null]]],
      [['promotions', 'end', code], []],
      [['stock', 'set', '7', '12'], [['stock.count', '7', 'made to order', '12']]],
      [['stock', 'set', '7', '-1'], []],
      [['stock', 'set', '7', 'to-order'], [['stock.count', '7', '12', 'made to order']]],
    ]
    for (const [words, lines] of actions) {
      await db.delete(auditLog)
      await run(...words).catch(() => {})
      const rows = await db.select().from(auditLog)
      expect(
        rows.map(({ action, subject, from, to }) => [action, subject, from, to]),
        words.join(' '),
      ).toEqual(lines)
      expect(rows.every(({ actor }) => actor === 'command line')).toBe(true)
    }
  })

  it('lists an unacknowledged prompt of an expired order until its last check', async () => {
    const number = await placeOrder({ status: 'expired' })
    const ofOrder = eq(payments.orderId, `id-${count}`)
    const unnamed = { state: 'expired', error: 'M-Pesa never acknowledged this prompt.' } as const
    await db
      .update(payments)
      .set({ ...unnamed, nextCheckAtMs: NOW_MS })
      .where(ofOrder)
    expect(await run('payments')).toMatch(
      new RegExp(`^${number} .* expired .* M-Pesa never acknowledged`, 'm'),
    )
    await db.update(payments).set({ nextCheckAtMs: null }).where(ofOrder)
    expect(await run('payments')).not.toContain(`${number} `)
  })

  it('shows the page speeds, or that none have been reported', async () => {
    await db.delete(visitSpeeds)
    expect(await run('speed')).toBe('No page speeds reported yet.')
    const ofShop = { day: '2026-11-20', page: 'shop', visits: 4 }
    await db.insert(visitSpeeds).values([
      { ...ofShop, metric: 'lcp', figure: 1200 },
      { ...ofShop, metric: 'cls', figure: 0.012 },
    ])
    expect(await run('speed')).toMatch(/^shop +4 +1200 +- +0.012 +-$/m)
  })

  it('lists the activity of an account, latest first', async () => {
    await db.insert(users).values({
      ...{ id: 'active', email: 'active@shop.test', name: '', passwordHash: '', createdAtMs: 0 },
    })
    const event = { userId: 'active', browser: 'Chrome on Android', country: 'KE' }
    await db.insert(accountEvents).values([
      { ...event, id: 'a', kind: 'registered', atMs: NOW_MS - DAY_MS },
      { ...event, id: 'b', kind: 'password_reset', atMs: NOW_MS },
    ])
    const text = await run('activity', ' Active@shop.test')
    expect(text.indexOf('Password reset by email')).toBeLessThan(text.indexOf('Account created'))
    expect(text).toContain('Chrome on Android')
    await expect(run('activity', 'nobody@shop.test')).rejects.toThrow(
      'No account matches "nobody@shop.test". See: npm run shop -- accounts',
    )
  })

  it('says when a day had no sales', async () => {
    expect(await run('figures', '2001-01-01')).toContain('No sales.')
  })

  it.each([
    [['orders', 'show', 'P-NOWHERE'], "Order P-NOWHERE doesn't exist."],
    [['orders', 'show', "' OR 1=1 --"], "Order ' OR 1=1 -- doesn't exist."],
    [['orders', 'status', 'P-NOWHERE', 'packed'], "Order P-NOWHERE doesn't exist."],
    [
      ['orders', 'status', 'P-NOWHERE', 'lost'],
      'Unknown order status "lost". Use one of: awaiting_payment, placed,',
    ],
    [['orders', '--status', 'lost'], 'Unknown order status "lost".'],
    [['orders', '--limit', '0'], '--limit must be a whole number from 1 to 1000, not "0".'],
    [['payments', '--day', '2026-13-01'], '"2026-13-01" isn\'t a day'],
  ])('refuses %j', async (words, sentence) => {
    await expect(run(...words)).rejects.toThrow(sentence)
  })
})

describe('the SQL statements to run after a restore (docs/operating.md)', () => {
  it('end all sessions, invalidate all links and cancel the emails that contain one', async () => {
    const page = readFileSync('docs/operating.md', 'utf8')
    const [, sql = ''] = /time-travel restore.*?--command "([^"]*)"/s.exec(page) ?? []
    const statements = sql.split(';').map((statement) => statement.trim())
    expect(statements).toHaveLength(3)

    const userId = 'restored'
    await db
      .insert(users)
      .values({ id: userId, email: 'restored@shop.test', name: '', passwordHash: '', createdAtMs: 0 })
    await db.insert(sessions).values({
      ...{
        id: userId,
        userId,
        cookieHash: 'c',
        tokenHash: 't',
        createdAtMs: 0,
        expiresAtMs: NOW_MS + DAY_MS,
      },
    })
    const link = { userId, createdAtMs: 5, expiresAtMs: NOW_MS + DAY_MS }
    await db.insert(passwordResets).values([
      { ...link, codeHash: 'unused' },
      { ...link, codeHash: 'used', usedAtMs: 7 },
    ])
    const email = {
      recipient: 'restored@shop.test',
      subject: '',
      text: 'secret',
      html: 'secret',
      nextAttemptAtMs: 0,
    }
    const pending = { ...email, status: 'pending' as const, createdAtMs: 0 }
    await db.insert(outbox).values([
      { ...pending, id: 'r1', kind: 'password-reset', subjectId: 'unused' },
      { ...pending, id: 'r2', kind: 'welcome', subjectId: userId },
      { ...pending, id: 'r3', kind: 'order-notice', subjectId: 'other' },
    ])
    for (const statement of statements) await local.db.prepare(statement).run()
    expect(await db.select().from(sessions)).toEqual([])
    const links = await db.select().from(passwordResets).where(eq(passwordResets.userId, userId))
    expect(links.map(({ usedAtMs }) => usedAtMs).toSorted()).toEqual([5, 7])
    const emails = await db.select().from(outbox).where(eq(outbox.recipient, email.recipient))
    expect(emails.map(({ id, status, text }) => [id, status, text]).toSorted()).toEqual([
      ['r1', 'failed', ''],
      ['r2', 'failed', ''],
      ['r3', 'pending', 'secret'],
    ])
  })
})
