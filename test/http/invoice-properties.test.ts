import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { completeReturn, receiveReturn, turnExchangeIntoReturn } from '#server/orders/change-return.ts'
import { changeOrderStatus } from '#server/orders/change-status.ts'
import { createReturn } from '#server/orders/create-return.ts'
import { editOrder } from '#server/orders/edit-order.ts'
import { calculateBalance } from '#server/orders/order-record.ts'
import { calculateReturnRefundLimits, readReturnContext } from '#server/orders/order-returns.ts'
import { changeRefund, requestRefund } from '#server/orders/request-refund.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import { invoices, orders, payments } from '#server/platform/db/schema.ts'
import { CENTS_PER_KSH } from '#shared/format.ts'
import { createAccount } from '#test/support/account.ts'
import { createCashContentSource, testContext } from '#test/support/context.ts'
import { findInvariantProblems } from '#test/support/invariants.ts'
import { officeContext } from '#test/support/office.ts'
import { calculateCheckoutTotalKsh, createPromotion, orderRequest, postOrder } from '#test/support/orders.ts'
import items from '../../public/Items.json'

const shopCtx = testContext({ content: createCashContentSource(50_000, ['Nairobi']) })
const ctx = officeContext({ shop: { fetch: async () => Response.json(items) } })
const { db } = ctx
const actor = COMMAND_LINE_ACTOR

/** At KSH 250, up to four of the last one are too few for free shipping. */
const ITEM_IDS = [1, 2, 5, 36] as const
const TERMS = [
  null,
  { value: 10, minimum: 0 },
  { value: 7, minimum: 3000 },
  { value: 25, minimum: 1000 },
] as const

/** Amounts, including what each return takes off the amount due, are in whole shillings, and each sum is rounded. */
const MAX_DIFFERENCE_CENTS = 110
const RANDOM_RUNS = 40

const linesArbitrary = fc.oneof(
  fc.integer({ min: 1, max: 5 }).map((qty) => [{ id: 36, qty }]),
  fc
    .tuple(...ITEM_IDS.map(() => fc.nat(2)))
    .map((quantities) => ITEM_IDS.map((id, index) => ({ id, qty: quantities[index] ?? 0 })))
    .map((lines) => lines.filter(({ qty }) => qty > 0))
    .filter((lines) => lines.length > 0),
)

const stepArbitrary = fc.record({
  what: fc.constantFrom(
    ...(['edit', 'edit', 'edit', 'pay', 'pay', 'refund', 'completeRefund', 'completeRefund'] as const),
    ...(['deliver', 'deliver', 'return', 'return', 'exchange', 'turnIntoReturn', 'cancel'] as const),
  ),
  lines: linesArbitrary,
  which: fc.nat(5),
  share: fc.constantFrom(1, 1, 0.5, 0.3),
  isChecked: fc.boolean(),
})
type Step = typeof stepArbitrary extends fc.Arbitrary<infer Value> ? Value : never
const startArbitrary = fc.record({
  lines: linesArbitrary,
  terms: fc.constantFrom(...TERMS),
  isCash: fc.boolean(),
})
type Start = typeof startArbitrary extends fc.Arbitrary<infer Value> ? Value : never

/** Returns undefined if the order is too small for the promo code. */
async function placeOrder({ lines, terms, isCash }: Start) {
  const discount = terms && {
    kind: 'percent' as const,
    value: terms.value,
    minimumSubtotalCents: terms.minimum * CENTS_PER_KSH,
  }
  const overrides = {
    ...(isCash ? { payment: { provider: 'cash-on-delivery' } as const } : {}),
    ...(discount
      ? {
          promoCode: await createPromotion(shopCtx, discount),
          expectedTotal: calculateCheckoutTotalKsh(lines, discount),
        }
      : {}),
  }
  const request = orderRequest(lines, overrides)
  const { status, body } = await postOrder(shopCtx, await createAccount(shopCtx), request)
  if (discount && status === 409) return undefined
  expect(status, body.message).toBe(isCash ? 202 : 201)
  return body.order.number
}

async function readOrder(number: string) {
  const found = await readReturnContext(eq(orders.number, number), ctx)
  if (!found) throw new Error(`${number} is missing.`)
  return { ...found, balance: calculateBalance(found.record) }
}

const pick = <Value>(values: readonly Value[], which: number) => values[which % Math.max(values.length, 1)]
const toShare = (cents: number, share: number) => Math.floor((cents * share) / CENTS_PER_KSH) * CENTS_PER_KSH

async function performStep(number: string, { what, lines, which, share, isChecked }: Step) {
  const { record, returns, balance } = await readOrder(number)
  const { row } = record
  switch (what) {
    case 'edit':
      return editOrder({ number, lines, actor }, ctx)
    case 'pay': {
      const amountCents = toShare(balance.dueCents, share)
      if (amountCents === 0) return
      return db.insert(payments).values({
        id: crypto.randomUUID(),
        orderId: row.id,
        attempt: record.payments.length + 1,
        provider: 'manual',
        manualType: 'cash',
        state: 'settled',
        amountCents,
        createdAtMs: ctx.clock(),
        endedAtMs: ctx.clock(),
      })
    }
    case 'refund':
      return requestRefund(
        { number, amountCents: toShare(row.paidCents - row.refundCents, share), actor },
        ctx,
      )
    case 'completeRefund': {
      const refund = pick(
        record.refunds.filter(({ state }) => state !== 'done'),
        which,
      )
      return refund && changeRefund({ number, refundId: refund.id, change: 'complete', actor }, ctx)
    }
    case 'deliver':
      for (const to of ['packed', 'shipped', 'delivered'] as const)
        await changeOrderStatus({ number, to, isConfirmed: true, actor }, ctx)
      return
    case 'cancel':
      return changeOrderStatus({ number, to: 'cancelled', actor }, ctx)
    case 'return':
    case 'exchange': {
      const line = pick(record.lines, which)
      if (!line) return
      const { productId, unitPriceCents } = line
      const qty = isChecked ? 1 : line.qty
      const replacementId = ITEM_IDS[(which + qty) % ITEM_IDS.length]
      const wanted = { productId, unitPriceCents, qty, ...(what === 'exchange' ? { replacementId } : {}) }
      await createReturn({ number, kind: what, reason: 'size', note: '', lines: [wanted], actor }, ctx)
      await receiveReturn({ number, restocked: [], actor }, ctx)
      const context = await readOrder(number)
      const open = context.returns.find(({ state, kind }) => state === 'received' && kind === 'return')
      if (!open) return
      const limits = calculateReturnRefundLimits(context, open)
      const limitCents = limits.goodsCents + (isChecked ? limits.shippingCents : 0)
      const refundCents = toShare(limitCents, share)
      return completeReturn(
        { number, returnId: open.id, refundCents, includesShipping: isChecked, actor },
        ctx,
      )
    }
    case 'turnIntoReturn': {
      const exchange = returns.find(({ kind, state }) => kind === 'exchange' && state === 'received')
      return exchange && turnExchangeIntoReturn({ number, returnId: exchange.id, actor }, ctx)
    }
  }
}

async function checkDocuments(number: string) {
  const { record, returns } = await readOrder(number)
  const { row } = record
  const creditCount = returns.filter(({ creditedCents }) => creditedCents > 0).length
  const maxRoundingCents = MAX_DIFFERENCE_CENTS * (1 + creditCount)
  const documents = await db.select().from(invoices).where(eq(invoices.orderId, row.id))
  const sum = (name: 'subtotalCents' | 'discountCents' | 'shippingCents' | 'vatCents' | 'totalCents') =>
    documents.reduce((cents, document) => cents + document[name], 0)
  const refundedCents = record.refunds
    .filter(({ state }) => state === 'done')
    .reduce((cents, { amountCents }) => cents + amountCents, 0)
  expect(sum('totalCents'), 'the documents’ total').toBe(row.paidCents - refundedCents)
  for (const document of documents) {
    const { subtotalCents, discountCents, vatCents, vatPercent, roundingCents, kind } = document
    const name = `${kind}, one of ${JSON.stringify(documents)}`
    const vatOfGoods = ((subtotalCents - discountCents) * vatPercent) / 100
    expect(Math.abs(vatCents - vatOfGoods), `VAT of ${name}`).toBeLessThan(MAX_DIFFERENCE_CENTS)
    expect(Math.abs(roundingCents), `rounding of ${name}`).toBeLessThan(maxRoundingCents)
  }
  expect(sum('shippingCents'), 'shipping').toBeLessThanOrEqual(row.shippingCents)
  for (const name of ['subtotalCents', 'discountCents', 'shippingCents', 'vatCents'] as const) {
    expect(sum(name), name).toBeGreaterThanOrEqual(0)
    if (sum('totalCents') === 0) expect(sum(name), `${name} of nothing`).toBe(0)
  }
}

it('invoices and credit notes add up to what was paid and refunded, in any sequence of changes', async () => {
  const property = fc.asyncProperty(
    startArbitrary,
    fc.array(stepArbitrary, { minLength: 2, maxLength: 9 }),
    async (start, steps) => {
      const number = await placeOrder(start)
      if (!number) return
      for (const step of steps) {
        await performStep(number, step)
        await checkDocuments(number)
      }
    },
  )
  await fc.assert(property, { numRuns: RANDOM_RUNS })
  expect(await findInvariantProblems(db, 0)).toEqual([])
})
