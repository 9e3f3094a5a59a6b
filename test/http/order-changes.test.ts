import { desc, eq } from 'drizzle-orm'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { applyPaymentResult } from '#server/orders/apply-payment-result.ts'
import {
  cancelReturn,
  completeReturn,
  expireExchanges,
  receiveReturn,
  turnExchangeIntoReturn,
} from '#server/orders/change-return.ts'
import { changeOrderStatus } from '#server/orders/change-status.ts'
import { createReturn } from '#server/orders/create-return.ts'
import { editOrder } from '#server/orders/edit-order.ts'
import { calculateReturnRefundLimits, readReturnContext } from '#server/orders/order-returns.ts'
import { promptPayment } from '#server/orders/prompt-payment.ts'
import { recordManualPayment } from '#server/orders/record-manual-payment.ts'
import { changeRefund, requestRefund } from '#server/orders/request-refund.ts'
import { runScheduledPayments } from '#server/orders/scheduled-payments.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import { invoices, orders } from '#server/platform/db/schema.ts'
import { RETURN_WINDOW_MS } from '#shared/orders/returns.ts'
import { createAccount } from '#test/support/account.ts'
import { createCashContentSource, NOW_MS, testContext } from '#test/support/context.ts'
import { findInvariantProblems } from '#test/support/invariants.ts'
import { officeContext } from '#test/support/office.ts'
import {
  calculateCheckoutTotalKsh,
  createPromotion,
  orderRequest,
  postOrder,
  tenPercentDiscount,
} from '#test/support/orders.ts'
import { setStock } from '#test/support/stock.ts'
import items from '../../public/Items.json'

const shopCtx = testContext({ content: createCashContentSource(500_000, ['Nairobi']) })
const ctx = officeContext({ shop: { fetch: async () => Response.json(items) } })
const actor = COMMAND_LINE_ACTOR
const UNITS = 6
const RUNS = 10
/** Sorted by price, so that some orders are too small for free shipping. */
const ALL_ITEMS = items
  .toSorted((a, b) => a.price - b.price)
  .flatMap((item) => item.sizes?.map(({ id }) => id) ?? [item.id])
/** With this code, most totals aren't whole shillings before rounding. */
const SEVEN_PERCENT = { ...tenPercentDiscount, value: 7 } as const

const CHANGE_KINDS = [
  ...([
    'edit',
    'edit',
    'pack',
    'undo',
    'undo',
    'return',
    'exchange',
    'receive',
    'receive',
    'complete',
  ] as const),
  ...(['convert', 'stop', 'cancel', 'refund', 'pay', 'pay', 'prompt', 'settle', 'run'] as const),
]
const step = fc.tuple(
  fc.constantFrom(...CHANGE_KINDS),
  fc.nat({ max: 2 }),
  fc.integer({ min: 1, max: 3 }),
  fc.boolean(),
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

type ChangedOrder = { number: string; ids: readonly number[] }
let used = 0
let phones = 0

async function placeOrder(steps: number, isPaidOnDelivery = false): Promise<ChangedOrder> {
  const ids = ALL_ITEMS.slice(used, used + 3)
  used += ids.length
  for (const id of ids) await setStock(shopCtx, id, UNITS)
  const lines = [{ id: ids[0] ?? 0, qty: 2 }]
  const promoCode = await createPromotion(shopCtx, SEVEN_PERCENT)
  const discounted = { promoCode, expectedTotal: calculateCheckoutTotalKsh(lines, SEVEN_PERCENT) }
  const onDelivery = isPaidOnDelivery ? { payment: { provider: 'cash-on-delivery' } as const } : {}
  const request = orderRequest(lines, { ...(used % 2 === 0 ? discounted : {}), ...onDelivery })
  const { status, body } = await postOrder(shopCtx, await createAccount(shopCtx), request)
  expect(status, body.message).toBe(isPaidOnDelivery ? 202 : 201)
  const { number } = body.order
  for (const to of Object.values(NEXT_STATUS).slice(0, steps)) await changeTo(number, to)
  return { number, ids }
}

async function readOrder(number: string) {
  const found = await readReturnContext(eq(orders.number, number), ctx)
  if (!found) throw new Error(`${number} is missing.`)
  return found
}

const NEXT_STATUS = { placed: 'packed', packed: 'shipped', shipped: 'delivered' } as const
const PREVIOUS_STATUS = { packed: 'placed', shipped: 'packed', delivered: 'shipped' } as const

async function takeStep(
  { number, ids }: ChangedOrder,
  [action, which, qty, isRestocked]: Step,
): Promise<unknown> {
  const { record, returns } = await readOrder(number)
  const { status } = record.row
  const item = ids[which] ?? 0
  const line = record.lines[which % Math.max(record.lines.length, 1)]
  const lines = line ? [{ ...line, qty, replacementId: item }] : []
  switch (action) {
    case 'edit': {
      const editedLines = [{ id: item, qty }, ...(isRestocked ? [{ id: ids[0] ?? 0, qty: 1 }] : [])]
      return editOrder({ number, lines: editedLines, actor }, ctx)
    }
    case 'pack':
      return (
        status in NEXT_STATUS &&
        changeTo(number, NEXT_STATUS[status as keyof typeof NEXT_STATUS], { isCollected: isRestocked })
      )
    case 'undo':
      return (
        status in PREVIOUS_STATUS && changeTo(number, PREVIOUS_STATUS[status as keyof typeof PREVIOUS_STATUS])
      )
    case 'return':
    case 'exchange':
      return createReturn({ number, kind: action, reason: 'size', note: '', lines, actor }, ctx)
    case 'receive':
      return receiveReturn({ number, restocked: isRestocked ? [0] : [], actor }, ctx)
    case 'complete': {
      const received = returns.find(({ state }) => state === 'received')
      const limits = received && calculateReturnRefundLimits({ record, returns }, received)
      const refundCents = (limits?.goodsCents ?? 0) + (isRestocked ? (limits?.shippingCents ?? 0) : 0)
      return completeReturn({ number, refundCents, includesShipping: isRestocked, actor }, ctx)
    }
    case 'convert':
      return turnExchangeIntoReturn({ number, actor }, ctx)
    case 'stop':
      if (isRestocked) return expireExchanges({ ...ctx, clock: () => NOW_MS + RETURN_WINDOW_MS })
      return cancelReturn({ number, actor }, ctx)
    case 'cancel':
      return which === 0 && changeTo(number, 'cancelled')
    case 'refund':
      return requestRefund({ number, amountCents: qty * 100_00, actor }, ctx)
    case 'pay':
      return recordManualPayment({ number, type: isRestocked ? 'cash' : 'till', reference: '', actor }, ctx)
    case 'prompt':
      return promptPayment({ number, phone: `07${20_000_000 + ++phones}`, actor }, shopCtx)
    case 'settle': {
      const payment = record.payments.findLast(
        ({ provider, state }) => provider === 'mpesa' && state !== 'settled',
      )
      if (!payment) return
      const settled = { reference: payment.reference ?? payment.id, receipt: isRestocked ? payment.id : null }
      const result = { outcome: 'settled', ...settled } as const
      return applyPaymentResult({ record, payment, result, origin: 'https://pamba.test' }, shopCtx)
    }
    case 'run':
      return runScheduledPayments(shopCtx)
  }
}

type StatusChange = Parameters<typeof changeOrderStatus>[0]
const changeTo = (number: string, to: StatusChange['to'], details: Pick<StatusChange, 'isCollected'> = {}) =>
  changeOrderStatus({ number, to, isConfirmed: true, actor, ...details }, ctx)

const readDocuments = async (number: string) => {
  const { id } = (await readOrder(number)).record.row
  const isOwn = eq(invoices.orderId, id)
  return ctx.db.select().from(invoices).where(isOwn).orderBy(desc(invoices.kind), invoices.number)
}

it('the credit note for a lower total is for exactly the difference, regardless of earlier refunds', async () => {
  const { number, ids } = await placeOrder(0)
  await requestRefund({ number, amountCents: 100_00, actor }, ctx)
  await runScheduledPayments(shopCtx)
  const [line] = (await readOrder(number)).record.lines
  await editOrder({ number, lines: [{ id: ids[0] ?? 0, qty: 1 }], actor }, ctx)
  await runScheduledPayments(shopCtx)
  const subtotalCents = -(line?.unitPriceCents ?? 0)
  const difference = { subtotalCents, vatCents: subtotalCents * 0.16, shippingCents: 0 }
  expect((await readDocuments(number)).at(-1)).toMatchObject({ kind: 'credit_note', ...difference })
})

it('refunds of an order with two invoices are distributed over its items to the cent', async () => {
  const { number, ids } = await placeOrder(0)
  await editOrder({ number, lines: [0, 1].map((which) => ({ id: ids[which] ?? 0, qty: 2 })), actor }, ctx)
  await recordManualPayment({ number, type: 'cash', reference: '', actor }, ctx)
  await runScheduledPayments(shopCtx)
  for (const amountCents of [1_00, 7_00, 13_00, 111_00, undefined]) {
    await requestRefund({ number, amountCents, actor }, ctx)
    for (const { id } of (await readOrder(number)).record.refunds)
      await changeRefund({ number, refundId: id, change: 'complete', actor }, ctx)
    expect(await findInvariantProblems(ctx.db, UNITS)).toEqual([])
  }
})

it('a payment received before the refund of a lower total is complete has its own invoice', async () => {
  const { number, ids } = await placeOrder(0)
  const edit = (qty: number) => editOrder({ number, lines: [{ id: ids[0] ?? 0, qty }], actor }, ctx)
  await edit(1)
  await edit(2)
  await recordManualPayment({ number, type: 'cash', reference: '', actor }, ctx)
  const { row } = (await readOrder(number)).record
  const [attempt] = (await readOrder(number)).record.payments.slice(-1)
  await runScheduledPayments(shopCtx)
  expect((await readOrder(number)).record.refunds).toMatchObject([{ state: 'done' }])
  const documents = await readDocuments(number)
  expect(documents.map(({ kind, totalCents }) => [kind, totalCents])).toEqual([
    ['invoice', row.totalCents],
    ['invoice', attempt?.amountCents],
    ['credit_note', -(attempt?.amountCents ?? 0)],
  ])
  for (const sum of ['subtotalCents', 'shippingCents', 'vatCents', 'totalCents'] as const)
    expect(documents.reduce((cents, document) => cents + document[sum], 0)).toBe(row[sum])
})

it('stock, money and documents add up after any sequence of changes', async () => {
  const sequence = fc.array(step, { minLength: 6, maxLength: 14 })
  const property = fc.asyncProperty(
    fc.nat({ max: 3 }),
    fc.boolean(),
    sequence,
    async (status, onDelivery, steps) => {
      const order = await placeOrder(status, onDelivery)
      for (const step of steps) {
        await takeStep(order, step)
        expect(await findInvariantProblems(ctx.db, UNITS), step.join(' ')).toEqual([])
      }
    },
  )
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true })
})

it('stock, money and documents add up when two people change an order concurrently', async () => {
  const pairs = fc.array(fc.tuple(step, step, fc.boolean()), { minLength: 4, maxLength: 8 })
  const property = fc.asyncProperty(
    fc.nat({ max: 3 }),
    fc.boolean(),
    pairs,
    async (status, onDelivery, all) => {
      const order = await placeOrder(status, onDelivery)
      for (const [step, otherStep, isSame] of all) {
        await Promise.all([takeStep(order, step), takeStep(order, isSame ? step : otherStep)])
        expect(
          await findInvariantProblems(ctx.db, UNITS),
          `${step.join(' ')} with ${otherStep.join(' ')}`,
        ).toEqual([])
      }
    },
  )
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true })
})
