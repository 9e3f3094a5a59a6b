import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from '../build.ts'
import { runTool, ToolError } from '../command.ts'
import { openLocalDatabase } from '../local-database.ts'
import { ensureLocalSecrets, prepareDatabase } from '../local-shop.ts'
import { freePort } from '../ports.ts'
import { type Buyer, checkoutBody, postOrder, registerBuyer } from './checkouts.ts'
import { prepareDetachedShop } from './detached-shop.ts'

/** Checkouts under way at any time; the simulated payment takes 2 s. */
const LANES = 12
/** How long a client waits before it retries, at random, so that kills fall at every moment of an order's commit. */
const RETRY_MS = { least: 50, spread: 500 }
/** How long the shop runs before it is killed, at random: some orders have been committed by then, others have not. */
const UPTIME_MS = { least: 2050, spread: 600 }

export type KillResult = {
  kills: number
  /** Keys that shoppers began to order under; each was sent until it was confirmed. */
  keys: number
  orders: number
  /** Answers that never came, or were 5xx. */
  lostAnswers: number
  /** Retries that found their order made already. */
  replayed: number
  /** What is wrong with the stored orders, one sentence each. */
  problems: string[]
}

type Span = { least: number; spread: number }
const pause = ({ least, spread }: Span) =>
  new Promise((resolve) => setTimeout(resolve, least + Math.random() * spread))

/**
 * Kills the shop again and again while shoppers check out, starts it on the same database, lets the shoppers retry
 * under their keys, and checks the stored orders. Uses a database of its own, which it removes.
 */
export async function killDuringCheckouts({
  kills,
  port,
}: {
  kills: number
  port: number
}): Promise<KillResult> {
  const stateFolder = await mkdtemp(path.join(tmpdir(), 'pamba-kills-'))
  const confirmed = new Map<string, string>()
  const counts = { keys: 0, lostAnswers: 0, replayed: 0 }
  const problems: string[] = []
  let next = prepareDetachedShop({ port, stateFolder })
  let current = next
  let phase: 'killing' | 'settling' | 'over' = 'killing'

  async function checkOut(url: string, buyer: Buyer): Promise<void> {
    const body = checkoutBody(buyer, counts.keys++)
    const key = crypto.randomUUID()
    while (phase !== 'over') {
      const response = await postOrder(url, buyer, key, body).catch(() => undefined)
      const answer = await response?.json().catch(() => undefined)
      if (response && answer && response.ok) {
        if (response.status === 200) counts.replayed += 1
        confirmed.set(key, (answer as { order: { number: string } }).order.number)
        return
      }
      // An answer that broke off after its head is a lost one.
      if (response && answer && response.status < 500)
        return void problems.push(`A checkout was answered ${response.status}: ${JSON.stringify(answer)}`)
      counts.lostAnswers += 1
      await pause(phase === 'killing' ? RETRY_MS : { least: RETRY_MS.least, spread: 0 })
    }
  }

  async function openNext() {
    current = next
    const shop = await current.open()
    next = prepareDetachedShop({ port, stateFolder })
    return shop
  }

  try {
    await prepareDatabase(stateFolder)
    let { url, kill } = await openNext()
    const lanes: Promise<void>[] = []
    while (lanes.length < LANES) lanes.push(keepOrdering(url, await registerBuyer(url)))
    for (let times = 0; times < kills; times++) {
      await pause(UPTIME_MS)
      await kill()
      ;({ url, kill } = await openNext())
    }
    phase = 'settling'
    await Promise.all(lanes)
    await kill()
    const stored = await audit(stateFolder, confirmed)
    return { kills, ...counts, orders: stored.orders, problems: [...problems, ...stored.problems] }
  } finally {
    phase = 'over'
    await Promise.all([current.kill(), next.kill()])
    await rm(stateFolder, { recursive: true, force: true })
  }

  async function keepOrdering(url: string, buyer: Buyer) {
    while (phase === 'killing') await checkOut(url, buyer)
  }
}

type OrderRow = {
  idempotency_key: string
  number: string
  subtotal_cents: number
  adds_up: number
  lines_cents: number
  lines: number
  confirmations: number
  notices: number
}

const ORDERS = `SELECT idempotency_key, number, subtotal_cents,
  abs(subtotal_cents - discount_cents + shipping_cents + vat_cents - total_cents) <= 50 AND total_cents % 100 = 0 AS adds_up,
  (SELECT coalesce(sum(unit_price_cents * qty), 0) FROM order_lines WHERE order_id = orders.id) AS lines_cents,
  (SELECT count(*) FROM order_lines WHERE order_id = orders.id) AS lines,
  (SELECT count(*) FROM outbox WHERE subject_id = orders.id AND kind = 'order-confirmation') AS confirmations,
  (SELECT count(*) FROM outbox WHERE subject_id = orders.id AND kind = 'order-notice') AS notices
  FROM orders`
const ORPHANS = `SELECT (SELECT count(*) FROM order_lines WHERE order_id NOT IN (SELECT id FROM orders)) +
  (SELECT count(*) FROM outbox WHERE kind LIKE 'order-%' AND subject_id NOT IN (SELECT id FROM orders)) AS orphans`

/** Checks every stored order: that it was confirmed, adds up, and has its lines and its two mails. */
async function audit(stateFolder: string, confirmed: ReadonlyMap<string, string>) {
  const { db, close } = await openLocalDatabase(stateFolder)
  try {
    const { results } = await db.prepare(ORDERS).all<OrderRow>()
    const orphans = await db.prepare(ORPHANS).first<number>('orphans')
    const numbers = new Map(results.map((row) => [row.idempotency_key, row.number]))
    const problems = results.flatMap((row) => [
      ...(confirmed.get(row.idempotency_key) === row.number
        ? []
        : [`${row.number} was confirmed to no shopper.`]),
      ...(row.lines > 0 && row.lines_cents === row.subtotal_cents
        ? []
        : [`${row.number} does not have its lines.`]),
      ...(row.adds_up ? [] : [`${row.number} does not add up.`]),
      ...(row.confirmations === 1 && row.notices === 1 ? [] : [`${row.number} does not have its two mails.`]),
    ])
    for (const [key, number] of confirmed)
      if (numbers.get(key) !== number) problems.push(`${number} is lost.`)
    if (numbers.size !== results.length) problems.push('A key has more than one order.')
    if (orphans !== 0) problems.push(`${orphans} lines or mails belong to no order.`)
    return { orders: results.length, problems }
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
    console.log(`Killing the shop ${kills} times; this takes about ${Math.ceil((kills * 4) / 60)} minutes …`)
    const { problems, ...counts } = await killDuringCheckouts({ kills, port: await freePort() })
    console.table(counts)
    if (problems.length > 0) throw new ToolError(problems.join('\n'))
    console.log('No order is lost, doubled, or without its lines and mails.')
  })
}
