import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type DarajaPayment, openDaraja } from '#tools/sandbox/daraja.ts'
import { type Behaviour, getBehaviour } from '#tools/sandbox/daraja-numbers.ts'
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
import { prepareDetachedShop } from './detached-shop.ts'

/** Checkouts under way at any time, every other one by M-Pesa; the simulated payment takes 2 s. */
const LANES = 12
/** How long a shopper waits for M-Pesa before paying by card; the shop asks M-Pesa itself after 10 s. */
const PATIENCE_MS = 14_000
const POLL_MS = 400
/** What the phones do, one after another: M-Pesa's callback comes once, twice, never, or while the shop is down. */
const PHONES: readonly Behaviour[] = [
  { description: 'pays late', result: 0, after: 'late', callbacks: 1 },
  { description: 'pays', result: 0, after: 'answer', callbacks: 1 },
  { description: 'pays, told twice', result: 0, after: 'answer', callbacks: 2 },
  { description: 'pays, never told', result: 0, after: 'answer', callbacks: 0 },
  { description: 'never answers', result: 1037, after: 'timeout', callbacks: 0 },
  { description: 'pays before the acknowledgement', result: 0, after: 'answer', callbacks: 1, isEarly: true },
]
/** Who pays late does so after the shopper has lost patience and paid by card: one of the two is given back. */
const DELAYS = { answerMs: 700, lateMs: PATIENCE_MS + 4000, timeoutMs: 3000 }
/** How long a client waits before it retries, at random, so that kills fall at every moment of an order's commit. */
const RETRY_MS = { least: 50, spread: 500 }
/** How long the shop runs before it is killed, at random: some orders have been committed by then, others have not. */
const UPTIME_MS = { least: 2050, spread: 600 }

type Span = { least: number; spread: number }
const pause = ({ least, spread }: Span) =>
  new Promise((resolve) => setTimeout(resolve, least + Math.random() * spread))

/**
 * Kills the shop again and again while shoppers check out, starts it on the same database, lets the shoppers retry
 * under their keys, and checks the stored orders. `refunds` counts second payments of an order, `listed` payments whose
 * attempt the shop could not name, `replayed` retries that found their order.
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
  const behaviour = (phone: string) => PHONES[Number(phone.slice(-6)) % PHONES.length] ?? getBehaviour(phone)
  const daraja = await openDaraja({ delays: DELAYS, behaviour })
  const options = { port, stateFolder, vars: { MPESA_BASE: daraja.url } }
  const confirmed = new Map<string, string>()
  const counts = { keys: 0, lostAnswers: 0, replayed: 0 }
  const problems: string[] = []
  let starts = 0
  let current = prepareDetachedShop(options)
  let next = current
  let phase: 'killing' | 'settling' | 'over' = 'killing'

  async function checkOut(url: string, buyer: Buyer): Promise<void> {
    const n = counts.keys++
    const byCard = checkoutBody(buyer, n)
    // Every other checkout is by M-Pesa, and each of those by the next kind of phone.
    const phone = `07${String(10_000_000 + Math.floor(n / 2))}`
    let body: object = n % 2 === 0 ? byCard : { ...byCard, payment: { provider: 'mpesa', phone } }
    const key = crypto.randomUUID()
    const sinceMs = Date.now()
    let number: string | undefined
    while (phase !== 'over') {
      const request = number ? getPayment(url, buyer, number) : postOrder(url, buyer, key, body)
      const response = await request.catch(() => undefined)
      const answer = (await response?.json().catch(() => undefined)) as Answer | undefined
      // An answer that broke off after its head is a lost one; so many orders a minute are the limit's business.
      if (!response || !answer || response.status >= 500 || response.status === 429) {
        counts.lostAnswers += 1
        // So many prompts of one account are the limit's business, too.
        if (response?.status === 429) body = byCard
        await pause(phase === 'killing' ? RETRY_MS : { least: RETRY_MS.least, spread: 0 })
      } else if (!response.ok) {
        return void problems.push(`A checkout was answered ${response.status}: ${JSON.stringify(answer)}`)
      } else if (answer.payment.status === 'paid') {
        if (response.status === 200 && !number) counts.replayed += 1
        confirmed.set(key, answer.order.number)
        return
      } else {
        // Still waiting; a shopper who has waited long enough, or was told that it failed, pays by card.
        const isOver = answer.payment.status === 'failed' || Date.now() - sinceMs > PATIENCE_MS
        number = isOver ? undefined : answer.order.number
        if (isOver) body = byCard
        await pause({ least: POLL_MS, spread: 0 })
      }
    }
  }

  async function openNext() {
    current = next
    const shop = await current.open()
    starts += 1
    if (starts <= kills) next = prepareDetachedShop(options)
    return shop
  }

  try {
    await prepareStockedDatabase(stateFolder)
    let { url, kill } = await openNext()
    const lanes: Promise<void>[] = []
    while (lanes.length < laneCount) lanes.push(keepOrdering(url, await registerBuyer(url)))
    for (let times = 0; times < kills; times++) {
      await pause(UPTIME_MS)
      await kill()
      ;({ url, kill } = await openNext())
    }
    phase = 'settling'
    await Promise.all(lanes)
    // What is open is asked about once more, as the scheduled run does later.
    await pause({ least: SETTLING_MS, spread: 0 })
    await fetch(`${url}/cdn-cgi/local/scheduled`)
    await kill()
    const { orders, units, refunds, listed, ...stored } = await audit(stateFolder, confirmed, daraja.payments)
    const mpesaPayments = daraja.payments.length
    const all = [...problems, ...stored.problems]
    return { kills, ...counts, orders, units, mpesaPayments, refunds, listed, problems: all }
  } finally {
    phase = 'over'
    await Promise.all([current.kill(), next.kill(), daraja.close()])
    await rm(stateFolder, { recursive: true, force: true })
  }

  async function keepOrdering(url: string, buyer: Buyer) {
    while (phase === 'killing') await checkOut(url, buyer)
  }
}

/** The last attempts are due to be asked about by then. */
const SETTLING_MS = 32_000

type Answer = { order: { number: string }; payment: { status: string } }

/** Queries for what must not be there, each with what its rows are: a row names the order or item. */
const WRONG: Record<string, string> = {
  'without its lines': `SELECT number AS name FROM orders WHERE subtotal_cents = 0 OR subtotal_cents <>
    (SELECT coalesce(sum(unit_price_cents * qty), 0) FROM order_lines WHERE order_id = orders.id)`,
  'not placed with one payment': `SELECT number AS name FROM orders WHERE status <> 'placed' OR 1 <>
    (SELECT count(*) FROM payments WHERE order_id = orders.id AND state = 'settled' AND refund_state IS NULL)`,
  'not adding up': `SELECT number AS name FROM orders WHERE total_cents % 100 <> 0
    OR abs(subtotal_cents - discount_cents + shipping_cents + vat_cents - total_cents) > 50`,
  'without its two emails': `SELECT number AS name FROM orders WHERE '1 1' IS NOT
    (SELECT sum(kind = 'order-confirmation') || ' ' || sum(kind = 'order-notice') FROM outbox WHERE subject_id = orders.id)`,
  'a key with several orders': 'SELECT idempotency_key AS name FROM orders GROUP BY 1 HAVING count(*) > 1',
  'an email of no order': `SELECT subject_id AS name FROM outbox WHERE kind LIKE 'order-%'
    AND subject_id NOT IN (SELECT id FROM orders UNION SELECT id FROM payments)`,
  'an item with units lost or sold twice': `SELECT item_id AS name FROM stock WHERE on_hand + ${holds('sold')} <> ${UNITS}
    OR ${holds('sold')} <> (SELECT coalesce(sum(qty), 0) FROM order_lines JOIN orders ON orders.id = order_id
      WHERE product_id = stock.item_id AND status = 'placed')`,
  'an item with units held for no unpaid order': `SELECT item_id AS name FROM stock WHERE held <> 0 OR ${holds('held')} <> 0`,
}

function holds(state: 'sold' | 'held'): string {
  return `(SELECT coalesce(sum(qty), 0) FROM stock_holds WHERE item_id = stock.item_id AND state = '${state}')`
}

type PaymentRow = { number: string; settled: number; open: number; refunds: number }

const MPESA = `SELECT number, sum(payments.state = 'settled') AS settled,
  sum(payments.state IN ('sending', 'pending', 'unknown', 'expired')) AS open, sum(payments.state = 'settled' AND refund_state IS NOT NULL) AS refunds
  FROM payments JOIN orders ON orders.id = order_id WHERE provider = 'mpesa' GROUP BY number`

/** Checks that every payment M-Pesa took is one the shop knows of: kept, due for a refund, or on the list of open attempts. */
function auditPayments(rows: readonly PaymentRow[], taken: readonly DarajaPayment[]) {
  const problems: string[] = []
  let listed = 0
  const paid = taken.map((payment) => payment.accountReference)
  for (const number of new Set([...rows.map((row) => row.number), ...paid])) {
    const count = paid.filter((reference) => reference === number).length
    const { settled = 0, open = 0 } = rows.find((row) => row.number === number) ?? {}
    if (settled > count) problems.push(`${number} counts money that M-Pesa did not take.`)
    if (count > settled + open)
      problems.push(`M-Pesa took money for ${number} that the shop does not know of.`)
    listed += Math.max(count - settled, 0)
  }
  return { problems, listed, refunds: rows.reduce((sum, { refunds }) => sum + refunds, 0) }
}

/** Checks all stored orders, stock and payments against each other and against what shoppers and M-Pesa know. */
async function audit(
  stateFolder: string,
  confirmed: ReadonlyMap<string, string>,
  taken: readonly DarajaPayment[],
) {
  const { db, close } = await openLocalDatabase(stateFolder)
  try {
    const rows = async <Row>(sql: string) => (await db.prepare(sql).all<Row>()).results
    type Order = { key: string; number: string }
    const orders = await rows<Order>('SELECT idempotency_key AS key, number FROM orders')
    const mpesa = auditPayments(await rows<PaymentRow>(MPESA), taken)
    const [sold] = await rows<{ units: number }>(
      "SELECT coalesce(sum(qty), 0) AS units FROM stock_holds WHERE state = 'sold'",
    )
    const problems = [...mpesa.problems]
    for (const [what, sql] of Object.entries(WRONG))
      for (const { name } of await rows<{ name: string }>(sql)) problems.push(`${name}: ${what}.`)
    for (const { key, number } of orders)
      if (confirmed.get(key) !== number) problems.push(`${number} was confirmed to no shopper.`)
    const stored = new Map(orders.map(({ key, number }) => [key, number]))
    for (const [key, number] of confirmed) if (stored.get(key) !== number) problems.push(`${number} is lost.`)
    return { ...mpesa, orders: orders.length, units: sold?.units ?? 0, problems }
  } finally {
    await close()
  }
}

const KILLS = 100

// `npm run kills`: kills the built shop a hundred times during checkouts and checks the stored orders; `-- 10` kills ten times.
if (import.meta.main) {
  await runTool(async () => {
    const kills = Number(process.argv[2] ?? KILLS)
    if (!Number.isInteger(kills) || kills < 1) throw new ToolError('Say how many kills: npm run kills -- 100')
    ensureLocalSecrets()
    await build()
    console.log(
      `Killing the shop ${kills} times; this takes about ${Math.ceil((kills * 4) / 60) + 1} minutes …`,
    )
    const { problems, ...counts } = await killDuringCheckouts({ kills, port: await freePort() })
    console.table(counts)
    if (problems.length > 0) throw new ToolError(problems.join('\n'))
    console.log(
      'No order is lost, doubled, or without its lines, mails and payment; no money is unknown; no unit is lost or sold twice.',
    )
  })
}
