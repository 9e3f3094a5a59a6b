import { and, eq, inArray, lte, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { readLatestCatalogue } from '#server/catalogue/catalogue-versions.ts'
import type { DataContext } from '#server/context.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import type { Statements } from '#server/platform/db/client.ts'
import { failUnless } from '#server/platform/db/guards.ts'
import { orderReturns, orders, outbox, returnLines, stock } from '#server/platform/db/schema.ts'
import type { Email } from '#server/platform/email/mailer.ts'
import { toOutboxRow } from '#server/platform/email/outbox.ts'
import type { Result } from '#server/platform/result.ts'
import { runEach } from '#server/platform/run-each.ts'
import {
  changeSoldUnitsStatements,
  recountExchangeStatement,
  restockUnitsStatements,
} from '#server/stock/reservations.ts'
import { findItem } from '#shared/catalogue/items.ts'
import { CENTS_PER_KSH, formatMoney } from '#shared/format.ts'
import { getReturnTransitionStates, RETURN_WINDOW_MS, type ReturnTransition } from '#shared/orders/returns.ts'
import type { Actor } from '#shared/team/roles.ts'
import { calculateAmountDueCents, markUnrefundedStatement } from './amount-due.ts'
import {
  describeReturn,
  NO_REPLACEMENT,
  readParcelTerms,
  toReturnFailure,
  withReplacements,
} from './create-return.ts'
import {
  calculateBalanceAndSurplus,
  incrementRevisionStatements,
  previewExchange,
  previewExchangedLines,
  replaceOrderLinesStatements,
  undoExchange,
} from './edited-order.ts'
import { byOrderNumber, type OrderRecord } from './order-record.ts'
import {
  calculateReturnRefundLimits,
  createInvalidReturnError,
  findReturn,
  type OrderReturn,
  RETURN_CHANGED,
  type ReturnContext,
  type ReturnError,
  readReturnContext,
} from './order-returns.ts'
import { insertOrderRefundStatements } from './request-refund.ts'
import {
  createExchangeCompletedEmail,
  createExchangeReceivedEmail,
  createReturnApprovedEmail,
  createReturnDeclinedEmail,
  createReturnExpiredEmail,
  createReturnReceivedEmail,
} from './return-emails.ts'
import { calculateExchangeDueCents } from './return-steps.ts'

/** Without `returnId`, the change applies to the order's latest return that allows it. */
type ChangeReturnInput = { number: string; returnId?: string | undefined; actor: Actor }
type ReturnChangeResult = Result<OrderReturn, ReturnError>

/** An exchange needs an item id in `replacements` for each of its lines. Approving it reserves these items. */
export async function approveReturn(
  { replacements, ...input }: ChangeReturnInput & { replacements: readonly (number | undefined)[] },
  ctx: Parameters<typeof readLatestCatalogue>[0],
): Promise<ReturnChangeResult> {
  const found = await readForChange(input, 'approve', ctx)
  if (!found.ok) return found
  const catalogue = found.data.orderReturn.kind === 'exchange' ? await readLatestCatalogue(ctx) : []
  const requestedReplacements = replacements.map((replacementId) => ({ replacementId }))
  const replaced = withReplacements(found.data.orderReturn, requestedReplacements, catalogue)
  if (!replaced.ok) return replaced
  const reservedUntilMs = replaced.data.kind === 'exchange' ? ctx.clock() + RETURN_WINDOW_MS : null
  const orderReturn = { ...replaced.data, reservedUntilMs, changedAtMs: ctx.clock() }
  const email = createReturnApprovedEmail(
    found.data.context,
    orderReturn,
    await readParcelTerms(orderReturn, ctx),
  )
  const updates = orderReturn.lines.map(({ returnId, position, ...line }) =>
    ctx.db
      .update(returnLines)
      .set(line)
      .where(and(eq(returnLines.returnId, returnId), eq(returnLines.position, position))),
  )
  return commitReturnChange(
    { ...found.data, orderReturn, transition: 'approve', actor: input.actor, set: { reservedUntilMs } },
    [...updates, recountExchangeStatement(orderReturn.id, ctx), insertEmailStatement(email, ctx)],
    ctx,
  )
}

export async function declineReturn(
  { message, ...input }: ChangeReturnInput & { message: string },
  ctx: DataContext,
): Promise<ReturnChangeResult> {
  const found = await readForChange(input, 'decline', ctx)
  if (!found.ok) return found
  const text = message.trim()
  if (text === '' || text.length > MESSAGE_MAX_CHARACTERS)
    return createInvalidReturnError(
      `Message to the customer must be 1 to ${MESSAGE_MAX_CHARACTERS} characters.`,
    )
  const { orderReturn, context } = found.data
  const email = createReturnDeclinedEmail(context.record.row, orderReturn, text)
  return commitReturnChange(
    { ...found.data, transition: 'decline', actor: input.actor, set: { declineMessage: text } },
    [insertEmailStatement(email, ctx)],
    ctx,
  )
}

const MESSAGE_MAX_CHARACTERS = 500

export async function cancelReturn(input: ChangeReturnInput, ctx: DataContext): Promise<ReturnChangeResult> {
  const found = await readForChange(input, 'cancel', ctx)
  if (!found.ok) return found
  const { orderReturn } = found.data
  return commitReturnChange(
    { ...found.data, transition: 'cancel', actor: input.actor },
    [recountExchangeStatement(orderReturn.id, ctx)],
    ctx,
  )
}

type ReceiveReturnInput = ChangeReturnInput & {
  restocked: readonly number[]
  /** The refund of an exchange that the operator saw. If it differs now, the request fails. */
  expectedRefundCents?: number | undefined
}

/**
 * `restocked` lists the positions of the lines to restock. An exchange also updates the order's lines and total, and
 * refunds any surplus.
 */
export async function receiveReturn(
  { restocked, expectedRefundCents, ...input }: ReceiveReturnInput,
  ctx: DataContext,
): Promise<Result<OrderReturn & { startedRefundCents: number }, ReturnError>> {
  const found = await readForChange(input, 'receive', ctx)
  if (!found.ok) return found
  const { orderReturn, context } = found.data
  const exchange = orderReturn.kind === 'exchange' ? previewExchange(context, orderReturn) : undefined
  const refundCents = exchange?.surplusCents ?? 0
  if (expectedRefundCents !== undefined && expectedRefundCents !== refundCents) return RETURN_CHANGED
  const { id: orderId } = context.record.row
  const restockedLines = orderReturn.lines.filter(({ position }) => restocked.includes(position))
  const units = restockedLines.map(({ productId, qty }) => ({ itemId: productId, units: qty }))
  const marked = ctx.db
    .update(returnLines)
    .set({
      isRestocked: sql`${
        restockedLines.length > 0
          ? and(
              inArray(
                returnLines.position,
                restockedLines.map(({ position }) => position),
              ),
              // Items made to order have no stock.
              inArray(returnLines.productId, ctx.db.select({ id: stock.itemId }).from(stock)),
            )
          : sql`0`
      }`,
    })
    .where(eq(returnLines.returnId, orderReturn.id))
  const received = await commitReturnChange(
    { ...found.data, transition: 'receive', actor: input.actor },
    [
      marked,
      recountExchangeStatement(orderReturn.id, ctx),
      ...restockUnitsStatements(orderId, units, ctx),
      ...(exchange
        ? applyExchangeStatements(exchange, { record: context.record, orderReturn }, ctx)
        : [insertEmailStatement(createReturnReceivedEmail(context, orderReturn), ctx)]),
    ],
    ctx,
  )
  return received.ok ? { ok: true, data: { ...received.data, startedRefundCents: refundCents } } : received
}

function insertEmailStatement(email: Email, ctx: DataContext) {
  return ctx.db.insert(outbox).values(toOutboxRow(email, ctx))
}

function applyExchangeStatements(
  preview: ReturnType<typeof previewExchange>,
  { record, orderReturn }: { record: OrderRecord; orderReturn: OrderReturn },
  ctx: DataContext,
): Statements {
  const { changed, surplusCents } = preview
  const email = createExchangeReceivedEmail(changed, orderReturn, {
    dueCents: calculateExchangeDueCents({ record: changed, returns: [] }, orderReturn),
    refundCents: surplusCents,
  })
  return [
    ...changeSoldUnitsStatements(record.row.id, listReplacementUnits(orderReturn, 1), ctx),
    ...changeExchangedLinesStatements(preview, record, ctx),
    insertEmailStatement(email, ctx),
  ]
}

function changeExchangedLinesStatements(
  { changed, totals, surplusCents, balanceCents }: ReturnType<typeof previewExchangedLines>,
  record: OrderRecord,
  ctx: DataContext,
) {
  const { id } = record.row
  return [
    ...replaceOrderLinesStatements(id, changed.lines, ctx),
    ctx.db.update(orders).set(totals).where(eq(orders.id, id)),
    failUnless(sql`${calculateAmountDueCents(id)} = ${balanceCents}`, 'orderChanged', ctx),
    ...(insertOrderRefundStatements({ record, amountCents: surplusCents, reason: 'exchange' }, ctx) ?? []),
    markUnrefundedStatement(id, ctx),
  ] as const
}

function listReplacementUnits({ lines }: OrderReturn, sign: 1 | -1) {
  return lines.flatMap(({ replacementId, qty }) =>
    replacementId === null ? [] : [{ itemId: replacementId, units: sign * qty }],
  )
}

/** Only an exchange whose items were received and whose difference isn't paid can become a return of these items. */
export async function turnExchangeIntoReturn(
  input: ChangeReturnInput,
  ctx: Parameters<typeof readLatestCatalogue>[0],
): Promise<ReturnChangeResult> {
  const found = await readForChange(input, 'turnIntoReturn', ctx)
  if (!found.ok) return found
  const { orderReturn, context } = found.data
  const { record } = context
  if (orderReturn.kind !== 'exchange' || calculateExchangeDueCents(context, orderReturn) === 0)
    return RETURN_CHANGED
  const catalogue = await readLatestCatalogue(ctx)
  const getImage = (id: number) => findItem(catalogue, id)?.product.image ?? ''
  const preview = previewExchangedLines(context, undoExchange(record.lines, orderReturn, getImage))
  const kept = { kind: 'return', pickup: null, deliveryFeeCents: null } as const
  const returnedLines = orderReturn.lines.map((line) => ({ ...line, ...NO_REPLACEMENT }))
  const returned = { ...orderReturn, ...kept, lines: returnedLines }
  const email = createReturnReceivedEmail(
    {
      record: preview.changed,
      returns: context.returns.map((other) => (other.id === returned.id ? returned : other)),
    },
    returned,
  )
  return commitReturnChange(
    { ...found.data, transition: 'turnIntoReturn', actor: input.actor, set: kept },
    [
      ctx.db.update(returnLines).set(NO_REPLACEMENT).where(eq(returnLines.returnId, orderReturn.id)),
      ...changeSoldUnitsStatements(record.row.id, listReplacementUnits(orderReturn, -1), ctx),
      ...changeExchangedLinesStatements(preview, record, ctx),
      insertEmailStatement(email, ctx),
    ],
    ctx,
  )
}

type CompleteReturnInput = ChangeReturnInput & {
  /** The amount to refund, in whole shillings. It's ignored for exchanges. */
  refundCents: number
  includesShipping: boolean
  /** The amount due that the operator saw. If it differs now, the request fails. */
  expectedDueCents?: number | undefined
}

/** The value of returned goods is taken off the amount due. Only the rest can be refunded. */
export async function completeReturn(
  { refundCents, includesShipping, expectedDueCents, ...input }: CompleteReturnInput,
  ctx: DataContext,
): Promise<ReturnChangeResult> {
  const found = await readForChange(input, 'complete', ctx)
  if (!found.ok) return found
  const { orderReturn, context } = found.data
  const { record } = context
  if (orderReturn.kind === 'exchange') return completeExchange(found.data, input.actor, ctx)
  const { balanceCents } = calculateBalanceAndSurplus(record)
  if (expectedDueCents !== undefined && expectedDueCents !== Math.max(balanceCents, 0)) return RETURN_CHANGED
  const limits = calculateReturnRefundLimits(context, orderReturn)
  const limitCents = limits.goodsCents + (includesShipping ? limits.shippingCents : 0)
  const creditedCents = limits.creditedGoodsCents + (includesShipping ? limits.creditedShippingCents : 0)
  const isValid = Number.isSafeInteger(refundCents) && refundCents >= 0 && refundCents % CENTS_PER_KSH === 0
  if (!isValid || refundCents > limitCents)
    return createInvalidReturnError(
      `Refund must be from ${formatMoney(0)} to ${formatMoney(limitCents)}, in whole shillings.`,
    )
  const refunds =
    refundCents === 0
      ? []
      : insertOrderRefundStatements(
          { record, amountCents: refundCents, reason: 'return', returnId: orderReturn.id },
          ctx,
        )
  if (!refunds)
    return createInvalidReturnError(
      'Refund is more than what’s left to refund for this order. Enter a lower amount.',
    )
  const completion = {
    ...found.data,
    transition: 'complete',
    actor: input.actor,
    set: {
      refundedCents: refundCents,
      creditedCents,
      goodsValueCents: limits.goodsValueCents,
      refundsShipping:
        includesShipping && limits.creditedShippingCents + Math.min(refundCents, limits.shippingCents) > 0,
    },
    detail: [
      ...(creditedCents > 0 ? [`${formatMoney(creditedCents)} off the amount due`] : []),
      formatMoney(refundCents),
    ].join(', '),
  } as const
  const guard = failUnless(
    sql`${calculateAmountDueCents(record.row.id)} = ${balanceCents - creditedCents}`,
    'orderChanged',
    ctx,
  )
  return commitReturnChange(completion, [guard, ...refunds], ctx)
}

async function completeExchange(
  found: FoundReturn,
  actor: Actor,
  ctx: DataContext,
): Promise<ReturnChangeResult> {
  const { context, orderReturn } = found
  const dueCents = calculateExchangeDueCents(context, orderReturn)
  if (dueCents > 0)
    return createInvalidReturnError(
      `The customer still has to pay the difference of ${formatMoney(dueCents)}.`,
    )
  return commitReturnChange(
    { ...found, transition: 'complete', actor },
    [insertEmailStatement(createExchangeCompletedEmail(context.record.row, orderReturn), ctx)],
    ctx,
  )
}

export async function expireExchanges(ctx: DataContext): Promise<void> {
  const { db, clock } = ctx
  const dueReturns = await db
    .select({ id: orderReturns.id, orderId: orderReturns.orderId })
    .from(orderReturns)
    .where(and(eq(orderReturns.state, 'expected'), lte(orderReturns.reservedUntilMs, clock())))
    .limit(EXPIRED_PER_RUN)
  await runEach(dueReturns, async ({ id, orderId }) => {
    const context = await readReturnContext(eq(orders.id, orderId), ctx)
    const orderReturn = context?.returns.find((found) => found.id === id)
    if (!context || orderReturn?.state !== 'expected') return
    const { from, to } = getReturnTransitionStates('expire')
    const email = createReturnExpiredEmail(context.record.row, orderReturn)
    const statements = [
      ...incrementRevisionStatements(context.record.row, [context.record.row.status], ctx),
      db
        .update(orderReturns)
        .set({ state: to, changedAtMs: clock() })
        .where(and(eq(orderReturns.id, id), inArray(orderReturns.state, [...from]))),
      recountExchangeStatement(id, ctx),
      insertEmailStatement(email, ctx),
    ] as const
    // If the order has changed since it was read, the next run retries.
    await db.batch(statements).catch((error: unknown) => toReturnFailure(error))
  })
}

const EXPIRED_PER_RUN = 20

type FoundReturn = { context: ReturnContext; orderReturn: OrderReturn }

async function readForChange(
  { number, returnId }: ChangeReturnInput,
  transition: ReturnTransition,
  ctx: DataContext,
): Promise<Result<FoundReturn, ReturnError>> {
  const context = await readReturnContext(byOrderNumber(number), ctx)
  if (!context) return { ok: false, error: { code: 'not_found' } }
  const found = findReturn(context, returnId, transition)
  return found.ok ? { ok: true, data: { context, orderReturn: found.data } } : found
}

type ReturnCommit = FoundReturn & {
  transition: ReturnTransition
  actor: Actor
  set?: Partial<
    Pick<
      OrderReturn,
      | 'kind'
      | 'pickup'
      | 'deliveryFeeCents'
      | 'reservedUntilMs'
      | 'refundedCents'
      | 'creditedCents'
      | 'goodsValueCents'
      | 'refundsShipping'
      | 'declineMessage'
    >
  >
  detail?: string
}

async function commitReturnChange(
  { context, orderReturn, transition, actor, set, detail }: ReturnCommit,
  statements: readonly BatchItem<'sqlite'>[],
  ctx: DataContext,
): Promise<ReturnChangeResult> {
  const { to } = getReturnTransitionStates(transition)
  const change = { ...set, state: to, changedAtMs: ctx.clock() }
  const { row } = context.record
  const text = [describeReturn(orderReturn), detail].filter(Boolean).join(', ')
  const audit = { actor, action: RETURN_ACTIONS[transition], subject: row.number, to: text } as const
  try {
    const all = [
      ...incrementRevisionStatements(row, [row.status], ctx),
      ctx.db.update(orderReturns).set(change).where(eq(orderReturns.id, orderReturn.id)),
      ...statements,
    ] as const
    await commitAudited({ statements: all, audit }, ctx)
    return { ok: true, data: { ...orderReturn, ...change } }
  } catch (error) {
    return toReturnFailure(error)
  }
}

const RETURN_ACTIONS = {
  approve: 'return.approve',
  decline: 'return.decline',
  receive: 'return.receive',
  complete: 'return.complete',
  cancel: 'return.cancel',
  cancelByShopper: 'return.cancel',
  turnIntoReturn: 'return.convert',
  expire: 'return.cancel',
} as const satisfies Record<ReturnTransition, string>
