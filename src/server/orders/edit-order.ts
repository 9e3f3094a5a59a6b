import { and, eq, gt, inArray, max, sql } from 'drizzle-orm'
import { readLatestCatalogue } from '#server/catalogue/catalogue-versions.ts'
import type { DataContext } from '#server/context.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import type { Statements } from '#server/platform/db/client.ts'
import { failUnless, getGuardViolation } from '#server/platform/db/guards.ts'
import { orders, outbox, promotions } from '#server/platform/db/schema.ts'
import { deleteUnsentStatement, toOutboxRow } from '#server/platform/email/outbox.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { PromotionRow } from '#server/promotions/promotions.ts'
import { listUnderstockedLines, selectUnitsLeft } from '#server/stock/availability.ts'
import { changeSoldUnitsStatements } from '#server/stock/reservations.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import type { OrderTotals } from '#shared/checkout/pricing.ts'
import { formatList, formatMoney, formatNameWithSize, formatOutOfStock } from '#shared/format.ts'
import { createOrderFieldSchema } from '#shared/orders/contract.ts'
import {
  applyLineEdits,
  calculateUnitChanges,
  type OrderLine,
  type RequestedLine,
} from '#shared/orders/edited-lines.ts'
import { EDITABLE_FIELDS, type EditableField, getShortLabel, isOptional } from '#shared/orders/fields.ts'
import { listEditableStatuses } from '#shared/orders/order-status.ts'
import type { Actor } from '#shared/team/roles.ts'
import { calculateAmountDueCents, markUnrefundedStatement } from './amount-due.ts'
import { createOrderEditedEmail } from './edit-emails.ts'
import {
  calculateBalanceAndSurplus,
  calculateEditedTotals,
  incrementRevisionStatements,
  replaceOrderLinesStatements,
  toOrderLine,
} from './edited-order.ts'
import {
  byOrderNumber,
  commitAuditedOrderChange,
  type OrderLineRow,
  type OrderRecord,
  selectOrderRecord,
  toOrderRecord,
} from './order-record.ts'
import { insertOrderRefundStatements } from './request-refund.ts'

export type OrderEdit = {
  number: string
  expectedRevision?: number
  fields?: Partial<Record<EditableField, string>>
  /** All lines of the edited order. If undefined, the lines stay unchanged. */
  lines?: readonly RequestedLine[]
  actor: Actor
}

/** `status_changed` means that the order has changed since it was read, even if its status hasn't. */
export type EditOrderError = ServiceError<
  | 'not_found'
  | 'invalid_fields'
  | 'status_changed'
  | 'status_not_allowed'
  | 'unknown_product'
  | 'out_of_stock'
>

type PricedEdit = { lines: readonly OrderLine[]; totals: OrderTotals }

export async function editOrder(
  edit: OrderEdit,
  ctx: Parameters<typeof readLatestCatalogue>[0],
): Promise<Result<OrderRecord, EditOrderError>> {
  const found = await readForEdit(edit.number, ctx)
  if (!found) return { ok: false, error: { code: 'not_found' } }
  const { record, promotion, emailedAtMs } = found
  const { row } = record
  if (edit.expectedRevision !== undefined && edit.expectedRevision !== row.revision) return ORDER_CHANGED
  if (!listEditableStatuses(edit.lines ? 'lines' : 'delivery').includes(row.status)) return NOT_EDITABLE
  const fields = parseEditedFields(edit.fields ?? {}, row)
  if (!fields.ok) return fields
  const priced = edit.lines
    ? priceEdit(record, edit.lines, promotion, await readLatestCatalogue(ctx))
    : { ok: true as const, data: undefined }
  if (!priced.ok) return priced
  const after = applyEdit(record, fields.data, priced.data)
  const changes = describeEdit(record, after)
  if (!changes) return { ok: true, data: record }
  const audit = { actor: edit.actor, action: 'order.edit', subject: row.number, to: changes } as const
  try {
    const changed = await commitAuditedOrderChange(
      { id: row.id, statements: editOrderStatements(record, after, emailedAtMs, ctx), audit },
      ctx,
    )
    return { ok: true, data: changed }
  } catch (error) {
    switch (getGuardViolation(error)?.guard) {
      case 'orderChanged':
      case 'refundExceedsPayment':
        return ORDER_CHANGED
      case 'outOfStock':
        return readOutOfStockError(record, after, ctx)
      default:
        throw error
    }
  }
}

async function readForEdit(number: string, { db }: DataContext) {
  const byNumber = byOrderNumber(number)
  const code = db.select({ code: orders.promoCode }).from(orders).where(byNumber)
  const id = db.select({ id: orders.id }).from(orders).where(byNumber)
  const [[promotion], [email], ...rows] = await db.batch([
    db.select().from(promotions).where(inArray(promotions.code, code)),
    db
      .select({ createdAtMs: max(outbox.createdAtMs) })
      .from(outbox)
      .where(and(inArray(outbox.subjectId, id), eq(outbox.kind, 'order-edited'), gt(outbox.attempts, 0))),
    ...selectOrderRecord(db, byNumber),
  ])
  const record = toOrderRecord(rows)
  return record && { record, promotion, emailedAtMs: email?.createdAtMs ?? null }
}

export function priceEdit(
  { row, lines }: OrderRecord,
  wanted: readonly RequestedLine[],
  promotion: PromotionRow | undefined,
  catalogue: Catalogue,
): Result<PricedEdit, EditOrderError> {
  const edited = applyLineEdits(lines.map(toOrderLine), wanted, catalogue)
  if (!edited.ok) {
    const message = `We no longer sell ${formatList(edited.unavailable)}, so you can’t add more.`
    return { ok: false, error: { code: 'unknown_product', message } }
  }
  if (edited.lines.length === 0)
    return {
      ok: false,
      error: {
        code: 'invalid_fields',
        message: 'An order needs at least one item. To remove everything, cancel the order.',
      },
    }
  return {
    ok: true,
    data: { lines: edited.lines, totals: calculateEditedTotals(edited.lines, row, promotion) },
  }
}

export type EditPreview = { totalCents: number; dueCents: number; refundCents: number }

export async function previewEdit(
  { number, lines }: { number: string; lines: readonly RequestedLine[] },
  catalogue: Catalogue,
  ctx: OwnerContext,
): Promise<EditPreview | undefined> {
  const found = await readForEdit(number, ctx)
  if (!found) return undefined
  const { record, promotion } = found
  const priced = priceEdit(record, lines, promotion, catalogue)
  if (!priced.ok) return undefined
  const { totalCents } = priced.data.totals
  const { balanceCents, surplusCents } = calculateBalanceAndSurplus({
    ...record,
    row: { ...record.row, totalCents },
  })
  return { totalCents, dueCents: Math.max(balanceCents, 0), refundCents: surplusCents }
}

const ORDER_CHANGED = {
  ok: false,
  error: {
    code: 'status_changed',
    message: 'This order has changed since you opened it. Your changes weren’t saved.',
  },
} as const satisfies { ok: false; error: EditOrderError }

const NOT_EDITABLE = {
  ok: false,
  error: {
    code: 'status_not_allowed',
    message:
      'This order can’t be changed now. You can only change its items while it’s “Placed” or “Packed”.',
  },
} as const satisfies { ok: false; error: EditOrderError }

type EditedFields = Partial<Record<EditableField, string>>

/** Orders by phone can lack required fields, such as the zip code. They may stay empty. */
function parseEditedFields(
  entered: EditedFields,
  row: OrderRecord['row'],
): Result<EditedFields, EditOrderError> {
  const fieldErrors: Record<string, string> = {}
  const fields: EditedFields = {}
  for (const field of EDITABLE_FIELDS) {
    const text = entered[field]
    if (text === undefined || (text.trim() === '' && !row[field])) continue
    const { data, error } = createOrderFieldSchema(field).safeParse(text)
    if (error) fieldErrors[field] = error.issues[0]?.message ?? 'Please check this field.'
    else fields[field] = data ?? ''
  }
  return Object.keys(fieldErrors).length > 0
    ? { ok: false, error: { code: 'invalid_fields', fieldErrors } }
    : { ok: true, data: fields }
}

type EditedOrder = Pick<OrderRecord, 'row'> & { lines: readonly OrderLineRow[] }

function applyEdit(
  { row, lines }: OrderRecord,
  fields: EditedFields,
  priced: PricedEdit | undefined,
): EditedOrder {
  const storedFields = Object.fromEntries(
    EDITABLE_FIELDS.flatMap((field) => {
      const text = fields[field]
      return text === undefined ? [] : [[field, text || (isOptional(field) ? null : '')]]
    }),
  )
  const { roundingCents: _, ...totals } = priced?.totals ?? { roundingCents: 0 }
  return {
    row: { ...row, ...storedFields, ...totals },
    lines: priced?.lines.map((line, position) => ({ ...line, orderId: row.id, position })) ?? lines,
  }
}

/** The description goes to the audit log, so it must contain no personal data. It's empty if nothing changed. */
function describeEdit(before: OrderRecord, after: EditedOrder): string {
  const fields = EDITABLE_FIELDS.filter((field) => (before.row[field] ?? '') !== (after.row[field] ?? ''))
  const labels = fields.map(getShortLabel)
  const units = calculateUnitChanges(before.lines.map(toOrderLine), after.lines.map(toOrderLine)).map(
    (change) => {
      const line = [...after.lines, ...before.lines].find(({ productId }) => productId === change.itemId)
      const sign = change.units > 0 ? '+' : '−'
      return `${sign}${Math.abs(change.units)} ${line ? formatNameWithSize(line.title, line.size) : change.itemId}`
    },
  )
  const isRepriced = before.row.totalCents !== after.row.totalCents
  const totals = [before.row.totalCents, after.row.totalCents].map(formatMoney).join('\u00a0→ ')
  return [...units, ...(isRepriced ? [totals] : []), ...labels].join('; ')
}

/** The email replaces an earlier one that hasn't been sent, so it also mentions the refunds of that edit. */
function editOrderStatements(
  before: OrderRecord,
  after: EditedOrder,
  emailedAtMs: number | null,
  ctx: DataContext,
): Statements {
  const { db } = ctx
  const { id } = before.row
  const { row, lines } = after
  const changes = calculateUnitChanges(before.lines.map(toOrderLine), lines.map(toOrderLine))
  const statuses = listEditableStatuses(changes.length > 0 ? 'lines' : 'delivery')
  const { subtotalCents, discountCents, vatCents, totalCents } = row
  const fields = Object.fromEntries(EDITABLE_FIELDS.map((field) => [field, row[field]]))
  const { balanceCents, surplusCents } = calculateBalanceAndSurplus({ ...before, row })
  const dueCents = Math.max(balanceCents, 0)
  const unmentionedRefundCents = before.refunds
    .filter(({ reason, state }) => reason === 'order_edited' && state !== 'done')
    .filter(({ createdAtMs }) => emailedAtMs === null || createdAtMs > emailedAtMs)
    .reduce((sum, { amountCents }) => sum + amountCents, surplusCents)
  return [
    ...incrementRevisionStatements(before.row, statuses, ctx),
    ...(changes.length > 0
      ? [...replaceOrderLinesStatements(id, lines, ctx), ...changeSoldUnitsStatements(id, changes, ctx)]
      : []),
    db
      .update(orders)
      .set({ ...fields, subtotalCents, discountCents, vatCents, totalCents })
      .where(eq(orders.id, id)),
    failUnless(sql`${calculateAmountDueCents(id)} = ${balanceCents}`, 'orderChanged', ctx),
    ...(insertOrderRefundStatements(
      { record: before, amountCents: surplusCents, reason: 'order_edited' },
      ctx,
    ) ?? []),
    markUnrefundedStatement(id, ctx),
    deleteUnsentStatement(id, ['order-edited'], ctx),
    db
      .insert(outbox)
      .values(
        toOutboxRow(createOrderEditedEmail(after, { dueCents, refundCents: unmentionedRefundCents }), ctx),
      ),
  ]
}

async function readOutOfStockError(
  before: OrderRecord,
  after: EditedOrder,
  ctx: DataContext,
): Promise<{ ok: false; error: EditOrderError }> {
  const addedUnits = calculateUnitChanges(before.lines.map(toOrderLine), after.lines.map(toOrderLine))
    .filter(({ units }) => units > 0)
    .map(({ itemId, units }) => ({ id: itemId, qty: units }))
  const rows = await selectUnitsLeft(
    addedUnits.map(({ id }) => id),
    before.row.userId,
    ctx,
  )
  const sentences = listUnderstockedLines(addedUnits, rows).map(({ id, left }) => {
    const line = after.lines.find(({ productId }) => productId === id)
    return formatOutOfStock(line ? formatNameWithSize(line.title, line.size) : `product ${id}`, left)
  })
  const message = `${sentences.join(' ')} Your changes weren’t saved.`
  return { ok: false, error: { code: 'out_of_stock', message } }
}
