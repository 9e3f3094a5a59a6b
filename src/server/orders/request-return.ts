import { eq } from 'drizzle-orm'
import { loadCatalogue } from '#server/catalogue/resolve-lines.ts'
import { getReturnCosts } from '#server/content/default-texts.ts'
import type { ServiceContext } from '#server/context.ts'
import { orders, outbox } from '#server/platform/db/schema.ts'
import { deliverEmailsInBackground, toOutboxRow } from '#server/platform/email/outbox.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result } from '#server/platform/result.ts'
import { selectUnitsLeft, type UnitsLeftRow } from '#server/stock/availability.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { findItemByName } from '#shared/catalogue/item-names.ts'
import { findItem } from '#shared/catalogue/items.ts'
import { formatNameWithSize, formatOutOfStock } from '#shared/format.ts'
import { getReturnDeadlineMs } from '#shared/orders/returns.ts'
import {
  type CreateReturnInput,
  insertReturnStatements,
  prepareReturn,
  type RequestedReturnLine,
  toReplacement,
  toReturnFailure,
} from './create-return.ts'
import { chooseExchangeDelivery } from './exchange-delivery.ts'
import { findVisibleOrder, type VisibleOrder } from './order-page-view.ts'
import {
  createInvalidReturnError,
  type OrderReturn,
  type ReturnError,
  type ReturnLineRow,
  readReturnContext,
} from './order-returns.ts'
import { createOperatorReturnEmail, createReturnRequestedEmail } from './return-emails.ts'

type RequestReturnInput = VisibleOrder &
  CreateReturnInput & {
    /** A delivery method for an exchange's replacements. */
    delivery: string
    ipAddress: string
  }

/**
 * Requests a return for a shopper who owns the order or has its signed link. An exchange reserves nothing until the
 * operator approves it.
 */
export async function requestReturn(
  { ipAddress, kind, reason, note, lines: posted, delivery, ...orderRef }: RequestReturnInput,
  ctx: ServiceContext,
): Promise<Result<OrderReturn, ReturnError | typeof tooManyRequestsError>> {
  const visible = await findVisibleOrder(orderRef, ctx)
  if (!visible.ok) return visible
  const { id, userId } = visible.data.record.row
  if (!(await ctx.limits.writes(`return from ${ipAddress}`)))
    return { ok: false, error: tooManyRequestsError }
  const lines = posted.filter(({ qty }) => qty !== 0)
  const wantsItems =
    kind === 'exchange' && lines.some(({ replacementId, otherItem }) => replacementId || otherItem)
  const catalogue = wantsItems ? await loadCatalogue(ctx.catalogue) : []
  const chosen = findChosenItems(lines, catalogue)
  const itemIds = wantsItems ? chosen.flatMap(({ replacementId = [] }) => replacementId) : []
  const [found, unitsLeft] = await Promise.all([
    readReturnContext(eq(orders.id, id), ctx),
    itemIds.length > 0 ? selectUnitsLeft(itemIds, userId, ctx) : [],
  ])
  if (!found) return { ok: false, error: { code: 'not_found' } }
  const { record, events } = found
  const deliveredAtMs = events.find(({ status }) => status === 'delivered')?.atMs
  if (record.row.status !== 'delivered' || getReturnDeadlineMs(deliveredAtMs, ctx.clock()) === undefined)
    return { ok: false, error: { code: 'status_not_allowed', message: TOO_LATE_MESSAGE } }
  if (found.returns.filter(({ isByShopper }) => isByShopper).length >= MAX_REQUESTS_PER_ORDER)
    return { ok: false, error: { code: 'status_not_allowed', message: TOO_MANY_REQUESTS_MESSAGE } }
  const prepared = prepareReturn(found, { kind, reason, note, lines, isByShopper: true }, ctx)
  if (!prepared.ok) return prepared
  const requested = withRequestedItems(prepared.data, { chosen, catalogue, unitsLeft })
  if (!requested.ok) return requested
  const created = {
    ...requested.data,
    ...(kind === 'exchange' && chooseExchangeDelivery(delivery, reason, record.row, ctx.delivery)),
  }
  const costs = getReturnCosts((await ctx.content.load()).pages, reason)
  const operatorEmail = createOperatorReturnEmail(record.row, created, ctx.config)
  const statements = [
    ...insertReturnStatements(
      created,
      found,
      createReturnRequestedEmail(found, created, { address: ctx.delivery.pickup, costs }),
      ctx,
    ),
    ctx.db.insert(outbox).values(toOutboxRow(operatorEmail, ctx)),
  ] as const
  try {
    await ctx.db.batch(statements)
  } catch (error) {
    return toReturnFailure(error)
  }
  deliverEmailsInBackground(ctx)
  return { ok: true, data: created }
}

/** Each request emails the shop. Without a limit, cancelling and requesting again could go on forever. */
const MAX_REQUESTS_PER_ORDER = 10
const TOO_MANY_REQUESTS_MESSAGE = `You’ve sent ${MAX_REQUESTS_PER_ORDER} requests for this order. Please contact us and we’ll help you.`
const TOO_LATE_MESSAGE =
  'It’s too late to return or exchange this order online. Please contact us and we’ll see what we can do.'

function findChosenItems(lines: readonly RequestedReturnLine[], catalogue: Catalogue): RequestedReturnLine[] {
  return lines.map((line) => {
    const { replacementId, otherItem } = line
    if (replacementId !== undefined || !otherItem) return { ...line, otherItem: undefined }
    return { ...line, replacementId: findItemByName(catalogue, otherItem)?.id }
  })
}

type RequestedItems = {
  /** Must be in the order of the return's lines. */
  chosen: readonly RequestedReturnLine[]
  catalogue: Catalogue
  unitsLeft: readonly UnitsLeftRow[]
}

const UNKNOWN_ITEM_MESSAGE =
  'Please choose an item from the list, or leave this empty and describe the item in your message.'

/** Adds the sizes and other items chosen for an exchange, which must be in stock. */
function withRequestedItems(
  created: OrderReturn,
  { chosen, catalogue, unitsLeft }: RequestedItems,
): Result<OrderReturn, ReturnError> {
  if (created.kind === 'return') return { ok: true, data: created }
  const lines: ReturnLineRow[] = []
  for (const [position, line] of created.lines.entries()) {
    const { replacementId, otherItem, index = position } = chosen[position] ?? {}
    if (otherItem && replacementId === undefined)
      return createInvalidReturnError(UNKNOWN_ITEM_MESSAGE, `other-${index}`)
    if (replacementId === undefined) {
      lines.push(line)
      continue
    }
    const item = findItem(catalogue, replacementId)
    const product = findItem(catalogue, line.productId)?.product
    if (otherItem && replacementId === line.productId)
      return createInvalidReturnError('You’re returning this item. Please choose another.', `other-${index}`)
    if (!item || item.id === line.productId || (item.product !== product && !otherItem))
      return createInvalidReturnError(
        'This size is no longer available. Please choose another.',
        `for-${index}`,
      )
    const units = chosen.reduce((sum, other) => sum + (other.replacementId === item.id ? other.qty : 0), 0)
    const left = unitsLeft.find(({ itemId }) => itemId === item.id)?.left ?? units
    if (left < units) {
      const reason = formatOutOfStock(formatNameWithSize(item.product.title, item.size), left)
      return otherItem
        ? createInvalidReturnError(`${reason} Please choose another item.`, `other-${index}`)
        : createInvalidReturnError(`${reason} Please choose another size.`, `for-${index}`)
    }
    lines.push({ ...line, ...toReplacement(item) })
  }
  return { ok: true, data: { ...created, lines } }
}
