import { readLatestCatalogue, readLatestContentText } from '#server/catalogue/catalogue-versions.ts'
import { parseContent } from '#server/content/content-source.ts'
import { getReturnCosts } from '#server/content/default-texts.ts'
import type { DataContext } from '#server/context.ts'
import { newId } from '#server/platform/crypto.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import type { Statements } from '#server/platform/db/client.ts'
import { getGuardViolation } from '#server/platform/db/guards.ts'
import { orderReturns, outbox, returnLines } from '#server/platform/db/schema.ts'
import type { Email } from '#server/platform/email/mailer.ts'
import { toOutboxRow } from '#server/platform/email/outbox.ts'
import type { Result } from '#server/platform/result.ts'
import { recountExchangeStatement } from '#server/stock/reservations.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { findItem, type Item } from '#shared/catalogue/items.ts'
import { formatNameWithSize, kshToCents } from '#shared/format.ts'
import {
  isReturnable,
  isSameLine,
  type LineKey,
  listReturnableLines,
  RETURN_KIND_LABELS,
  RETURN_NOTE_MAX_CHARACTERS,
  RETURN_WINDOW_MS,
  type ReturnKind,
  type ReturnReason,
} from '#shared/orders/returns.ts'
import { deliverySettings } from '#shared/shop.ts'
import type { Actor } from '#shared/team/roles.ts'
import { incrementRevisionStatements } from './edited-order.ts'
import { byOrderNumber, type OrderRow } from './order-record.ts'
import {
  createInvalidReturnError,
  type OrderReturn,
  RETURN_CHANGED,
  type ReturnContext,
  type ReturnError,
  type ReturnLineRow,
  readReturnContext,
} from './order-returns.ts'
import { createReturnApprovedEmail } from './return-emails.ts'
import { formatReturnLine, type ParcelTerms } from './return-steps.ts'

export type RequestedReturnLine = LineKey & {
  qty: number
  replacementId?: number | undefined
  /** The name of an item of another product that the shopper would like instead. */
  otherItem?: string | undefined
  /** The line's index in the form. Errors use it to name the fields of the line. */
  index?: number
}

export type CreateReturnInput = {
  kind: ReturnKind
  reason: ReturnReason
  note: string
  lines: readonly RequestedReturnLine[]
}

type CatalogueReadContext = Parameters<typeof readLatestCatalogue>[0]

/**
 * Creates an approved return for the operator. An exchange reserves its replacements. `expectedRevision` is the order's
 * revision that the operator saw, so that submitting the form twice creates one return.
 */
export async function createReturn(
  {
    number,
    actor,
    expectedRevision,
    ...wanted
  }: CreateReturnInput & { number: string; actor: Actor; expectedRevision?: number | undefined },
  ctx: CatalogueReadContext,
): Promise<Result<OrderReturn, ReturnError>> {
  const input = { ...wanted, lines: wanted.lines.filter(({ qty }) => qty !== 0) }
  const found = await readReturnContext(byOrderNumber(number), ctx)
  if (!found) return { ok: false, error: { code: 'not_found' } }
  if (expectedRevision !== undefined && expectedRevision !== found.record.row.revision) return RETURN_CHANGED
  const catalogue = input.kind === 'exchange' ? await readLatestCatalogue(ctx) : []
  const prepared = prepareReturn(found, { ...input, isByShopper: false }, ctx)
  if (!prepared.ok) return prepared
  const replaced = withReplacements(prepared.data, input.lines, catalogue)
  if (!replaced.ok) return replaced
  const { row } = found.record
  const created = {
    ...replaced.data,
    state: 'expected' as const,
    reservedUntilMs: input.kind === 'exchange' ? ctx.clock() + RETURN_WINDOW_MS : null,
  }
  const email = createReturnApprovedEmail(found, created, await readParcelTerms(created, ctx))
  const statements = [
    ...insertReturnStatements(created, found, email, ctx),
    recountExchangeStatement(created.id, ctx),
  ] as const
  const audit = { actor, action: 'return.create', subject: row.number, to: describeReturn(created) } as const
  try {
    await commitAudited({ statements, audit }, ctx)
    return { ok: true, data: created }
  } catch (error) {
    return toReturnFailure(error)
  }
}

/** Reads the published phone number and rules. If that fails, the email is sent without them. */
export async function readParcelTerms(
  { reason }: Pick<OrderReturn, 'reason'>,
  ctx: CatalogueReadContext,
): Promise<ParcelTerms> {
  const address = deliverySettings.pickup
  try {
    const { pages } = parseContent(await readLatestContentText(ctx), '')
    return { address, phone: pages.contact.phone, costs: getReturnCosts(pages, reason) }
  } catch {
    return { address, phone: '', costs: null }
  }
}

export function describeNotReturnable({ status, pickup }: Pick<OrderRow, 'status' | 'pickup'>): string {
  if (status === 'cancelled') return 'This order was cancelled, so nothing can be returned.'
  if (status === 'expired') return 'This order has expired, so nothing can be returned.'
  const step = pickup === null ? 'hasn’t been sent yet' : 'isn’t ready for pickup yet'
  return `This order ${step}, so nothing can be returned. Edit or cancel the order instead.`
}

/** `lines` are those with a quantity. */
export function prepareReturn(
  context: ReturnContext,
  { kind, reason, note, lines: requestedLines, isByShopper }: CreateReturnInput & { isByShopper: boolean },
  ctx: DataContext,
): Result<OrderReturn, ReturnError> {
  const { row } = context.record
  if (!isReturnable(row.status)) {
    return { ok: false, error: { code: 'status_not_allowed', message: describeNotReturnable(row) } }
  }
  const text = note.trim()
  if (text.length > RETURN_NOTE_MAX_CHARACTERS)
    return createInvalidReturnError(
      `Your message must be at most ${RETURN_NOTE_MAX_CHARACTERS} characters.`,
      'returnNote',
    )
  const returnId = newId(ctx)
  const lines = createReturnLines(returnId, requestedLines, context)
  if (!lines.ok) return lines
  const nowMs = ctx.clock()
  const created = {
    id: returnId,
    orderId: row.id,
    kind,
    reason,
    note: text || null,
    isByShopper,
    state: 'requested' as const,
    refundedCents: 0,
    creditedCents: 0,
    goodsValueCents: 0,
    declineMessage: null,
    refundsShipping: false,
    reservedUntilMs: null,
    pickup: null,
    deliveryFeeCents: null,
    createdAtMs: nowMs,
    changedAtMs: nowMs,
    lines: lines.data,
  }
  return { ok: true, data: created }
}

function createReturnLines(
  returnId: string,
  requestedLines: readonly RequestedReturnLine[],
  { record, returns }: ReturnContext,
): Result<ReturnLineRow[], ReturnError> {
  const invalidIndex = requestedLines.findIndex(({ qty }) => !(Number.isSafeInteger(qty) && qty > 0))
  if (invalidIndex >= 0)
    return createInvalidReturnError(
      'Please enter quantities as whole numbers.',
      `qty-${requestedLines[invalidIndex]?.index ?? invalidIndex}`,
    )
  if (requestedLines.length === 0)
    return createInvalidReturnError('Please choose at least one item.', 'qty-0')
  const returnableLines = listReturnableLines(record.lines, returns)
  const lines: ReturnLineRow[] = []
  for (const [position, { qty, index, ...key }] of requestedLines.entries()) {
    const line = returnableLines.find((candidate) => isSameLine(candidate, key))
    if (!line) return RETURN_CHANGED
    const returnableQty = line.returnableQty
    line.returnableQty -= qty
    if (line.returnableQty < 0) {
      const name = formatNameWithSize(line.title, line.size)
      return createInvalidReturnError(
        returnableQty > 0
          ? `You can return up to ${returnableQty} of ${name}.`
          : `No more of ${name} can be returned.`,
        `qty-${index ?? position}`,
      )
    }
    const { productId, title, size, unitPriceCents } = line
    lines.push({
      returnId,
      position,
      productId,
      title,
      size,
      unitPriceCents,
      qty,
      isRestocked: null,
      ...NO_REPLACEMENT,
    })
  }
  return { ok: true, data: lines }
}

export const NO_REPLACEMENT = {
  replacementId: null,
  replacementTitle: null,
  replacementSize: null,
  replacementImage: null,
  replacementPriceCents: null,
}

/**
 * Adds replacements at current prices to the lines of an exchange. `wanted` and the lines must be in the same order.
 */
export function withReplacements(
  created: OrderReturn,
  wanted: readonly { replacementId?: number | undefined }[],
  catalogue: Catalogue,
): Result<OrderReturn, ReturnError> {
  if (created.kind === 'return') return { ok: true, data: created }
  const lines: ReturnLineRow[] = []
  for (const [index, line] of created.lines.entries()) {
    const item = findItem(catalogue, wanted[index]?.replacementId)
    if (!item) {
      const name = formatNameWithSize(line.title, line.size)
      return createInvalidReturnError(`Please choose a replacement for ${name}.`)
    }
    lines.push({ ...line, ...toReplacement(item) })
  }
  return { ok: true, data: { ...created, lines } }
}

export function toReplacement(item: Item) {
  return {
    replacementId: item.id,
    replacementTitle: item.product.title,
    replacementSize: item.size ?? null,
    replacementImage: item.product.image,
    replacementPriceCents: kshToCents(item.price),
  }
}

export function insertReturnStatements(
  { lines, ...row }: OrderReturn,
  { record }: ReturnContext,
  email: Email,
  ctx: DataContext,
): Statements {
  const { db } = ctx
  const inserts = lines.map((line) => db.insert(returnLines).values(line))
  return [
    ...incrementRevisionStatements(record.row, [record.row.status], ctx),
    db.insert(orderReturns).values(row),
    ...inserts,
    db.insert(outbox).values(toOutboxRow(email, ctx)),
  ]
}

export function describeReturn({ kind, lines }: Pick<OrderReturn, 'kind' | 'lines'>): string {
  return `${RETURN_KIND_LABELS[kind]}: ${lines.map(formatReturnLine).join('; ')}`
}

export function toReturnFailure(error: unknown): { ok: false; error: ReturnError } {
  switch (getGuardViolation(error)?.guard) {
    case 'orderChanged':
      return RETURN_CHANGED
    case 'outOfStock': {
      const message =
        'There isn’t enough stock for this exchange, so your change wasn’t saved. Choose another item.'
      return { ok: false, error: { code: 'out_of_stock', message } }
    }
    case 'refundExceedsPayment': {
      const message =
        'This order has just been refunded, so your change wasn’t saved. Check the order and try again.'
      return { ok: false, error: { code: 'refund_not_possible', message } }
    }
    default:
      throw error
  }
}
