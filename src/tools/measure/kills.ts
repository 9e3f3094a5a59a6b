import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type DarajaPayment, openDaraja } from '#tools/sandbox/daraja.ts'
import { getBehaviour } from '#tools/sandbox/daraja-numbers.ts'
import { build } from '../build.ts'
import { runTool, ToolError } from '../command.ts'
import { openLocalDatabase } from '../local-database.ts'
import { ensureLocalSecrets } from '../local-shop.ts'
import { freePort } from '../ports.ts'
import {
  type Buyer,
  checkoutBody,
  getPayment,
  postOrder,
  prepareStockedDatabase,
  registerBuyer,
  UNITS,
} from './checkouts.ts'
import { type DetachedShop, openDetachedShop } from './detached-shop.ts'

/** Concurrent checkouts, every other one by M-Pesa; the simulated payment takes 2 s. */
const LANES = 12
/** How long a shopper waits for M-Pesa before paying by card; the shop queries M-Pesa after 10 s. */
const PATIENCE_MS = 14_000
const POLL_MS = 400
/**
 * Test numbers used in turn: pays late, pays, two callbacks, no callback, times out, pays before the acknowledgement, cancels and
 * pays by hand.
 */
const PHONES = ['007', '001', '006', '010', '005', '013', '003']
/** A late payment follows the shopper's payment by card, so one of the two must be refunded. */
const DELAYS = { answerMs: 700, lateMs: PATIENCE_MS + 4000, timeoutMs: 3000 }
/** Random, so that kills fall at every moment of an order's commit. */
const RETRY_MS = [50, 550] as const
/** Random, so that some orders have been committed before the kill and others have not. */
const UPTIME_MS = [2050, 2650] as const
/** By then, the last payment attempts are due for a query. */
const SETTLING_MS = 32_000
const KILLS = 100

const pause = (minMs: number, maxMs = minMs) =>
  new Promise((resolve) => setTimeout(resolve, minMs + Math.random() * (maxMs - minMs)))

/**
 * Kills and restarts the shop on one database while shoppers check out and retry, then audits the orders. `refunds` counts second
 * payments of an order, `replayed` retries that found theirs.
 */
export async function killDuringCheckouts({
  kills,
  lanes: laneCount = LANES,
  port,
}: {
  kills: number
  lanes?: number
  port: number
}) {
  const stateFolder = await mkdtemp(path.join(tmpdir(), 'pamba-kills-'))
  const behaviour = (phone: string) =>
    getBehaviour(`254700000${PHONES[Number(phone.slice(-6)) % PHONES.length]}`)
  const daraja = await openDaraja({ delays: DELAYS, behaviour })
  const confirmed = new Map<string, string>()
  const counts = { keys: 0, lostAnswers: 0, replayed: 0 }
  const problems: string[] = []
  let phase: 'killing' | 'settling' | 'over' = 'killing'
  let shop: DetachedShop | undefined
  const open = async () => {
    const vars = { MPESA_BASE: daraja.url, LOCAL_ORIGIN: `http://127.0.0.1:${port}` }
    shop = await openDetachedShop({ port, stateFolder, vars })
    return shop
  }

  async function checkOut(url: string, buyer: Buyer): Promise<void> {
    const n = counts.keys++
    const byCard = checkoutBody(buyer, n)
    const phone = `07${String(10_000_000 + Math.floor(n / 2))}`
    let body: object = n % 2 === 0 ? byCard : { ...byCard, payment: { provider: 'mpesa', phone } }
    const key = crypto.randomUUID()
    const sinceMs = Date.now()
    let number: string | undefined
    let isPaidByHand = false
    while (phase !== 'over') {
      const request = number ? getPayment(url, buyer, number) : postOrder(url, buyer, key, body)
      const response = await request.catch(() => undefined)
      const answer = (await response?.json().catch(() => undefined)) as Answer | undefined
      // A response without a complete body is lost. 429 is the rate limit for orders or M-Pesa prompts.
      if (!response || !answer || response.status >= 500 || response.status === 429) {
        counts.lostAnswers += 1
        if (response?.status === 429) body = byCard
        await pause(...RETRY_MS)
      } else if (!response.ok) {
        return void problems.push(`A checkout returned ${response.status}: ${JSON.stringify(answer)}`)
      } else if (answer.payment.status === 'paid') {
        if (response.status === 200 && !number) counts.replayed += 1
        confirmed.set(key, answer.order.number)
        return
      } else {
        // A shopper pays by card after a failed payment, or after waiting too long.
        const { status, problem, dueCents } = answer.payment
        const paysByHand = problem === 'cancelled' && Date.now() - sinceMs < PATIENCE_MS
        if (paysByHand && !isPaidByHand) {
          isPaidByHand = true
          const account = answer.order.number
          await daraja.byHand.pay({ amountKsh: dueCents / 100, account, confirmations: n % 3 })
        }
        const isOver = (status === 'failed' && !paysByHand) || Date.now() - sinceMs > PATIENCE_MS
        number = isOver ? undefined : answer.order.number
        if (isOver) body = byCard
        await pause(POLL_MS)
      }
    }
  }

  async function keepOrdering(url: string, buyer: Buyer) {
    while (phase === 'killing') await checkOut(url, buyer)
  }

  try {
    await prepareStockedDatabase(stateFolder)
    await requestAnnouncements(stateFolder)
    let { url, kill } = await open()
    const lanes: Promise<void>[] = []
    while (lanes.length < laneCount) lanes.push(keepOrdering(url, await registerBuyer(url)))
    for (let times = 0; times < kills; times++) {
      await pause(...UPTIME_MS)
      await kill()
      ;({ url, kill } = await open())
      void fetch(`${url}/cdn-cgi/local/scheduled`).catch(() => {})
    }
    phase = 'settling'
    await Promise.all(lanes)
    // The scheduled run queries M-Pesa about open attempts.
    await pause(SETTLING_MS)
    await fetch(`${url}/cdn-cgi/local/scheduled`)
    await kill()
    const { orders, refunds, ...stored } = await audit(stateFolder, confirmed, daraja)
    const mpesaPayments = daraja.payments.length
    const all = [...problems, ...stored.problems]
    const byHand = daraja.byHand.taken.length - mpesaPayments
    return { kills, ...counts, orders, mpesaPayments, byHand, refunds, problems: all }
  } finally {
    phase = 'over'
    await Promise.all([shop?.kill(), daraja.close()])
    await rm(stateFolder, { recursive: true, force: true })
  }
}

/** Makes the first scheduled run give M-Pesa an address for payments made by hand. */
async function requestAnnouncements(stateFolder: string) {
  const { db, close } = await openLocalDatabase(stateFolder)
  await db
    .prepare("INSERT INTO incoming_sources (provider, registration_requested_at_ms) VALUES ('mpesa', 1)")
    .run()
  await close()
}

type Answer = {
  order: { number: string }
  payment: { status: string; problem: string | null; dueCents: number }
}

/** Queries that must return no rows; each row names an order or item. */
const WRONG: Record<string, string> = {
  'without its lines': `SELECT number AS name FROM orders WHERE subtotal_cents = 0 OR subtotal_cents <>
    (SELECT coalesce(sum(unit_price_cents * qty), 0) FROM order_lines WHERE order_id = orders.id)`,
  'not placed with one payment': `SELECT number AS name FROM orders WHERE status <> 'placed' OR 1 <>
    (SELECT count(*) FROM payments WHERE order_id = orders.id AND state = 'settled' AND id NOT IN (SELECT payment_id FROM refunds))`,
  'with sums that differ from its payments or refunds': `SELECT number AS name FROM orders WHERE (paid_cents, refund_cents) IS NOT
    (SELECT (SELECT coalesce(sum(amount_cents), 0) FROM payments WHERE order_id = orders.id AND state = 'settled'),
      (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE order_id = orders.id))`,
  'not adding up': `SELECT number AS name FROM orders WHERE total_cents % 100 <> 0
    OR abs(subtotal_cents - discount_cents + shipping_cents + vat_cents - total_cents) > 50`,
  'without its two emails': `SELECT number AS name FROM orders WHERE '1 1' IS NOT
    (SELECT sum(kind = 'order-confirmation') || ' ' || sum(kind = 'order-notice') FROM outbox WHERE subject_id = orders.id)`,
  'without an invoice of its total': `SELECT number AS name FROM orders WHERE status = 'placed'
    AND total_cents IS NOT (SELECT sum(total_cents) FROM invoices WHERE order_id = orders.id AND kind = 'invoice')`,
  'a kind of document with a gap in its numbers':
    'SELECT kind AS name FROM invoices GROUP BY kind HAVING count(*) <> max(number)',
  'a payment by hand that belongs to no order': `SELECT receipt AS name FROM payments WHERE provider = 'manual'
    AND receipt NOT IN (SELECT receipt FROM incoming_payments WHERE payment_id = payments.id)`,
  'a key with several orders': 'SELECT idempotency_key AS name FROM orders GROUP BY 1 HAVING count(*) > 1',
  'an email of no order': `SELECT subject_id AS name FROM outbox WHERE kind LIKE 'order-%'
    AND subject_id NOT IN (SELECT id FROM orders UNION SELECT id FROM payments UNION SELECT id FROM refunds)`,
  'an item with units lost or sold twice': `SELECT item_id AS name FROM stock WHERE on_hand + ${holds('sold')} <> ${UNITS}
    OR ${holds('sold')} <> (SELECT coalesce(sum(qty), 0) FROM order_lines JOIN orders ON orders.id = order_id
      WHERE product_id = stock.item_id AND status = 'placed')`,
  'an item with units reserved for no unpaid order': `SELECT item_id AS name FROM stock WHERE held <> 0 OR ${holds('held')} <> 0`,
}

function holds(state: 'sold' | 'held'): string {
  return `(SELECT coalesce(sum(qty), 0) FROM stock_holds WHERE item_id = stock.item_id AND state = '${state}')`
}

type Daraja = Awaited<ReturnType<typeof openDaraja>>
type PaymentRow = { number: string; settled: number; open: number; refunds: number }

const MPESA = `SELECT number, sum(payments.state = 'settled') AS settled,
  sum(payments.state IN ('sending', 'pending', 'unknown', 'expired')) AS open, sum(payments.id IN (SELECT payment_id FROM refunds)) AS refunds
  FROM payments JOIN orders ON orders.id = order_id WHERE provider = 'mpesa' GROUP BY number`

/** Checks that the shop knows every payment M-Pesa took: settled, due for a refund, or an open attempt. */
function auditPayments(rows: readonly PaymentRow[], taken: readonly DarajaPayment[]) {
  const problems: string[] = []
  const paid = taken.map((payment) => payment.accountReference)
  for (const number of new Set([...rows.map((row) => row.number), ...paid])) {
    const count = paid.filter((reference) => reference === number).length
    const { settled = 0, open = 0 } = rows.find((row) => row.number === number) ?? {}
    if (settled > count) problems.push(`${number} has a payment that M-Pesa did not take.`)
    if (count > settled + open)
      problems.push(`M-Pesa took a payment for ${number} that the shop does not know.`)
  }
  return { problems, refunds: rows.reduce((sum, { refunds }) => sum + refunds, 0) }
}

/** Checks stored orders, stock and payments against each other, the shoppers' confirmations and M-Pesa's payments. */
async function audit(
  stateFolder: string,
  confirmed: ReadonlyMap<string, string>,
  { payments: taken, byHand }: Pick<Daraja, 'payments' | 'byHand'>,
) {
  const { db, close } = await openLocalDatabase(stateFolder)
  try {
    const rows = async <Row>(sql: string) => (await db.prepare(sql).all<Row>()).results
    type Order = { key: string; number: string }
    const orders = await rows<Order>('SELECT idempotency_key AS key, number FROM orders')
    const mpesa = auditPayments(await rows<PaymentRow>(MPESA), taken)
    const problems = [...mpesa.problems]
    const listed = await rows<{ receipt: string }>('SELECT receipt FROM incoming_payments')
    const receipts = new Set(listed.map(({ receipt }) => receipt))
    for (const { receipt } of byHand.taken)
      if (!receipts.has(receipt))
        problems.push(`${receipt}: M-Pesa received it, and the shop never listed it.`)
    if (receipts.size !== byHand.taken.length)
      problems.push('The shop lists payments that M-Pesa never received.')
    for (const [what, sql] of Object.entries(WRONG))
      for (const { name } of await rows<{ name: string }>(sql)) problems.push(`${name}: ${what}.`)
    for (const { key, number } of orders)
      if (confirmed.get(key) !== number) problems.push(`${number} was not confirmed to any shopper.`)
    const stored = new Map(orders.map(({ key, number }) => [key, number]))
    for (const [key, number] of confirmed) if (stored.get(key) !== number) problems.push(`${number} is lost.`)
    return { ...mpesa, orders: orders.length, problems }
  } finally {
    await close()
  }
}

// `npm run kills`: kills the built shop 100 times during checkouts and checks the stored orders (`-- 10`: 10 times).
if (import.meta.main) {
  await runTool(async () => {
    const kills = Number(process.argv[2] ?? KILLS)
    if (!Number.isInteger(kills) || kills < 1)
      throw new ToolError(`"${process.argv[2]}" isn't a number of kills. For example: npm run kills -- 100`)
    ensureLocalSecrets()
    console.log('Building …')
    await build()
    const minutes = Math.ceil((kills * 6) / 60) + 1
    console.log(`Killing the shop ${kills} times; this takes about ${minutes} minutes …`)
    const { problems, ...counts } = await killDuringCheckouts({ kills, port: await freePort() })
    console.table(counts)
    if (problems.length > 0) throw new ToolError(problems.join('\n'))
    console.log(
      'Every order is stored once, with its lines, emails and payment. Every payment is known, and stock adds up.',
    )
  })
}
