import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  type Buyer,
  createCheckoutBody,
  getPayment,
  postOrder,
  prepareStockedDatabase,
  registerBuyer,
} from '#test/support/checkouts.ts'
import { build } from '#tools/build.ts'
import { runTool, ToolError } from '#tools/command.ts'
import { openLocalDatabase } from '#tools/local-database.ts'
import { ensureLocalSecrets } from '#tools/local-shop.ts'
import { findFreePort } from '#tools/ports.ts'
import { openDaraja } from '#tools/sandbox/daraja.ts'
import { type Behaviour, getBehaviour } from '#tools/sandbox/daraja-numbers.ts'
import { openPaystack } from '#tools/sandbox/paystack.ts'
import { audit } from './audit.ts'
import { type DetachedShop, openDetachedShop } from './detached-shop.ts'
import { workInOffice } from './office-lane.ts'

/** Half of the checkouts try M-Pesa first, a quarter Paystack and a quarter the simulated card. */
const LANES = 12
/** All office lanes pick from the same few orders, so that they often change the same one. */
const OFFICE_LANES = 6
const CHANGED_SHARE = 5
const CHANGED_ORDERS = 8
/** About half of these orders send a prompt. An account may send only a few to phones that never paid for it. */
const ORDERS_PER_BUYER = 20
/** A shopper waits this long for M-Pesa before paying by card. It must be long enough for the shop to query M-Pesa. */
const PAYMENT_TIMEOUT_MS = 14_000
const POLL_MS = 400
/** The last digits of test numbers in daraja-numbers.ts, whose behaviours the checkouts use in turn. */
const PHONES = ['007', '001', '006', '010', '005', '013', '003']
const PAYOUTS: Behaviour['payout'][] = [undefined, 'failsFirst', 'timesOut', 'neverAnswers']
const PAYSTACK_CHOICES = ['pay', 'twice', 'silent']
/** A late payment arrives after the shopper has paid by card, so one of the two must be refunded. */
const DELAYS = { answerMs: 700, lateMs: PAYMENT_TIMEOUT_MS + 4000, timeoutMs: 3000 }
/** The pause is random, so that kills happen at every moment of an order's commit. */
const RETRY_DELAY_RANGE_MS = [50, 550] as const
/** The uptime is random, so that some orders are committed before the kill and others aren't. */
const UPTIME_RANGE_MS = [2050, 2650] as const
/** After this time, the last payment attempts are due for a query. */
const SETTLING_MS = 32_000
/** One scheduled run sends only `REFUNDS_PER_RUN` refunds, so several runs are necessary. */
const FINAL_RUNS = 30
const KILLS = 100

const waitBetween = (minMs: number, maxMs = minMs) =>
  new Promise((resolve) => setTimeout(resolve, minMs + Math.random() * (maxMs - minMs)))

/** `replayed` counts retries that found their order. */
export async function killDuringCheckouts({
  kills,
  lanes: laneCount = LANES,
  officeLanes = OFFICE_LANES,
}: {
  kills: number
  lanes?: number
  officeLanes?: number
}) {
  const stateFolder = await mkdtemp(path.join(tmpdir(), 'pamba-kills-'))
  const [port, officePort] = [await findFreePort(), await findFreePort()]
  const behaviour = (phone: string): Behaviour => {
    const n = Number(phone.slice(-6))
    const payout = PAYOUTS[n % PAYOUTS.length]
    return { ...getBehaviour(`254700000${PHONES[n % PHONES.length]}`), ...(payout ? { payout } : {}) }
  }
  const daraja = await openDaraja({ delays: DELAYS, behaviour })
  const paystack = await openPaystack({ webhookUrl: `http://localhost:${port}/api/payments/paystack` })
  const confirmed = new Map<string, string>()
  const counts = { keys: 0, lostAnswers: 0, replayed: 0 }
  const problems: string[] = []
  let phase: 'killing' | 'settling' | 'over' = 'killing'
  let shop: DetachedShop | undefined
  const open = async () => {
    const vars = {
      ...{ MPESA_BASE: daraja.url, PAYSTACK_BASE: paystack.url },
      ...{ PAYMENTS: 'simulated,mpesa,paystack', LOCAL_ORIGIN: `http://127.0.0.1:${port}` },
    }
    shop = await openDetachedShop({ port, officePort, stateFolder, vars })
    return shop
  }

  async function checkOut(url: string, buyer: Buyer): Promise<void> {
    const n = counts.keys++
    const byCard = createCheckoutBody(buyer, n)
    const phone = `07${String(10_000_000 + Math.floor(n / 2))}`
    const payment = n % 2 === 1 ? { provider: 'mpesa', phone } : { provider: 'paystack' }
    let body: object = n % 4 === 0 ? byCard : { ...byCard, payment }
    const key = crypto.randomUUID()
    const sinceMs = Date.now()
    let number: string | undefined
    let isPaidToPaybill = false
    let visitedPage: string | null = null
    while (phase !== 'over') {
      const request = number ? getPayment(url, buyer, number) : postOrder(url, buyer, key, body)
      const response = await request.catch(() => undefined)
      const answer = (await response?.json().catch(() => undefined)) as OrderResponse | undefined
      // The response is lost if its body is incomplete. 429 is the rate limit for orders or M-Pesa prompts.
      if (!response || !answer || response.status >= 500 || response.status === 429) {
        counts.lostAnswers += 1
        if (response?.status === 429) body = byCard
        await waitBetween(...RETRY_DELAY_RANGE_MS)
      } else if (!response.ok) {
        return void problems.push(`A checkout returned ${response.status}: ${JSON.stringify(answer)}`)
      } else if (answer.payment.status === 'paid') {
        if (response.status === 200 && !number) counts.replayed += 1
        confirmed.set(key, answer.order.number)
        return
      } else {
        const { status, problem, dueCents, redirectTo } = answer.payment
        const paysToPaybill = problem === 'cancelled' && Date.now() - sinceMs < PAYMENT_TIMEOUT_MS
        if (paysToPaybill && !isPaidToPaybill) {
          isPaidToPaybill = true
          const account = answer.order.number
          await daraja.c2b.pay({ amountKsh: dueCents / 100, account, confirmations: n % 3 })
        }
        if (redirectTo && redirectTo !== visitedPage) {
          visitedPage = redirectTo
          const choice = new URLSearchParams({ choice: PAYSTACK_CHOICES[n % PAYSTACK_CHOICES.length] ?? '' })
          await fetch(redirectTo, { method: 'POST', body: choice, redirect: 'manual' })
        }
        const isOver = (status === 'failed' && !paysToPaybill) || Date.now() - sinceMs > PAYMENT_TIMEOUT_MS
        number = isOver ? undefined : answer.order.number
        if (isOver) body = byCard
        await waitBetween(POLL_MS)
      }
    }
  }

  async function keepOrdering(url: string) {
    let buyer: Buyer | undefined
    for (let orders = 0; phase === 'killing'; orders++) {
      if (orders % ORDERS_PER_BUYER === 0) buyer = await registerBuyer(url).catch(() => buyer)
      if (buyer) await checkOut(url, buyer)
      else orders = -1
    }
  }

  const office = {
    url: `http://localhost:${officePort}`,
    findOrder() {
      const changed = [...confirmed.values()].filter((_, index) => index % CHANGED_SHARE === 0)
      return changed.at(-1 - Math.floor(Math.random() * CHANGED_ORDERS))
    },
    payToPaybill: (payment: { amountKsh: number; account: string }) => daraja.c2b.pay(payment),
    isOver: () => phase !== 'killing',
    onProblem: (problem: string) => problems.push(problem),
  }

  try {
    await prepareStockedDatabase(stateFolder)
    await requestRegistration(stateFolder)
    let { url, kill } = await open()
    const lanes = Array.from({ length: laneCount }, () => keepOrdering(url))
    for (let lane = 0; lane < officeLanes; lane++) lanes.push(workInOffice(office))
    for (let times = 0; times < kills; times++) {
      await waitBetween(...UPTIME_RANGE_MS)
      await kill()
      ;({ url, kill } = await open())
      void fetch(`${url}/cdn-cgi/local/scheduled`).catch(() => {})
    }
    phase = 'settling'
    await Promise.all(lanes)
    await waitBetween(SETTLING_MS)
    await fetch(`${url}/cdn-cgi/local/scheduled`)
    await kill()
    await makeEverythingDue(stateFolder)
    ;({ url, kill } = await open())
    for (let runs = 0; runs < FINAL_RUNS; runs++) await fetch(`${url}/cdn-cgi/local/scheduled`)
    await Promise.all([daraja.idle(), paystack.idle()])
    await kill()
    const books = { mpesa: daraja, paystack: paystack.transactions }
    const { orders, refunds, changes, ...stored } = await audit(stateFolder, confirmed, books)
    const mpesaPayments = daraja.payments.length
    const all = [...problems, ...stored.problems]
    const c2b = daraja.c2b.payments.length - mpesaPayments
    const payouts = daraja.payouts.length
    return { kills, ...counts, orders, mpesaPayments, c2b, refunds, payouts, ...changes, problems: all }
  } finally {
    phase = 'over'
    await Promise.all([shop?.kill(), daraja.close(), paystack.close()])
    await rm(stateFolder, { recursive: true, force: true })
  }
}

async function requestRegistration(stateFolder: string) {
  const sql = "INSERT INTO incoming_sources (provider, registration_requested_at_ms) VALUES ('mpesa', 1)"
  await executeSql(stateFolder, sql)
}

/** Makes all refunds, payment checks and pulls due, so that refunds without a result are requested again. */
async function makeEverythingDue(stateFolder: string) {
  await executeSql(stateFolder, 'UPDATE refunds SET next_at_ms = 1 WHERE next_at_ms IS NOT NULL')
  await executeSql(stateFolder, 'UPDATE payments SET next_check_at_ms = 1 WHERE next_check_at_ms IS NOT NULL')
  await executeSql(stateFolder, 'UPDATE incoming_sources SET next_pull_at_ms = 0')
}

async function executeSql(stateFolder: string, sql: string) {
  const { db, close } = await openLocalDatabase(stateFolder)
  await db.prepare(sql).run()
  await close()
}

type OrderResponse = {
  order: { number: string }
  payment: { status: string; problem: string | null; dueCents: number; redirectTo: string | null }
}

// `npm run kills` kills the built shop `KILLS` times during checkouts and changes; `npm run kills -- 10`, 10 times.
if (import.meta.main) {
  await runTool(async () => {
    const kills = Number(process.argv[2] ?? KILLS)
    if (!Number.isInteger(kills) || kills < 1)
      throw new ToolError(`"${process.argv[2]}" isn't a number of kills. For example: npm run kills -- 100`)
    ensureLocalSecrets()
    console.log('Building…')
    await build()
    const minutes = Math.ceil((kills * 6) / 60) + 2
    console.log(`Killing the shop ${kills} times; this takes about ${minutes} minutes…`)
    const { problems, ...counts } = await killDuringCheckouts({ kills })
    console.table(counts)
    if (problems.length > 0) throw new ToolError(problems.join('\n'))
    console.log(
      'Every order is stored once, with its lines, emails and payment. All money is accounted for, and stock adds up.',
    )
  })
}
