import { type Context, Hono } from 'hono'
import { readCatalogueWithStock } from '#office/catalogue/item-picker.tsx'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { findSuccessMessage, renderFormError, startHousekeeping } from '#office/platform/form.ts'
import { renderErrorPage, renderOfficePage } from '#office/platform/layout.tsx'
import { getOrderReturnsPath } from '#office/platform/sections.ts'
import { readLatestCatalogue } from '#server/catalogue/catalogue-versions.ts'
import {
  approveReturn,
  cancelReturn,
  completeReturn,
  declineReturn,
  receiveReturn,
  turnExchangeIntoReturn,
} from '#server/orders/change-return.ts'
import { createReturn } from '#server/orders/create-return.ts'
import {
  type OrderReturn,
  type ReturnContext,
  type ReturnError,
  readReturnContextByNumber,
} from '#server/orders/order-returns.ts'
import { formatReturnLine } from '#server/orders/return-steps.ts'
import { type FormFields, parseForm } from '#server/platform/http/body.ts'
import type { Result } from '#server/platform/result.ts'
import { formatServiceError } from '#server/platform/result.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { findItemByName } from '#shared/catalogue/item-names.ts'
import { findItem } from '#shared/catalogue/items.ts'
import { kshToCents } from '#shared/format.ts'
import {
  listIndexes,
  parseReplacementId,
  parseReturnKind,
  parseReturnLines,
  parseReturnReason,
} from '#shared/orders/return-form.ts'
import { RETURN_KIND_LABELS } from '#shared/orders/returns.ts'
import { describeRefund, listLatestRefunds } from './describe-refund.ts'
import { OrderReturns } from './order-returns-view.tsx'
import { formatListedItem } from './replacement-select.tsx'

const RECEIVED_MESSAGE = 'Items marked as received.'
const SUCCESS_MESSAGES: Record<string, string> = {
  approve: 'Request approved.',
  decline: 'Request declined.',
  receive: RECEIVED_MESSAGE,
  complete: 'Return or exchange completed.',
  cancel: 'Return or exchange cancelled.',
  convert: 'Exchange turned into a return. The replacement is back in stock.',
}

/** `done` and `createdId` say what succeeded; `error` says what failed. */
type Outcome = { done?: string | undefined; createdId?: string | undefined; error?: string }

function describeCreatedReturn({ kind, lines }: OrderReturn): string {
  return `${RETURN_KIND_LABELS[kind]} created: ${lines.map(formatReturnLine).join('; ')}.`
}

/** The values of `done` if the step has started a refund. */
const RECEIVED_WITH_REFUND = 'receive-refund'
const COMPLETED_WITH_REFUND = 'complete-refund'

export function orderReturnsRoutes(ctx: OfficeContext) {
  async function renderPage(
    c: Context<OfficeEnv>,
    number: string,
    { done, createdId, error }: Outcome,
    entered?: FormFields,
  ) {
    const context = await readReturnContextByNumber(number, c.var.ownerContext())
    if (!context) return renderErrorPage(c, 404, 'We can’t find this order.')
    const created = context.returns.find(({ id }) => id === createdId)
    const success = created ? describeCreatedReturn(created) : describeSuccess(done ?? '', context)
    const notice = error ?? success
    const isError = error !== undefined
    return renderOfficePage(
      c,
      {
        title: `Returns and exchanges for ${context.record.row.number}`,
        section: 'orders',
        ...(notice ? { notice, isError } : {}),
        children: (
          <OrderReturns
            context={context}
            catalogue={await readCatalogueWithStock(c.var.ownerContext())}
            entered={entered}
          />
        ),
      },
      isError ? 409 : 200,
    )
  }

  function performAction(
    number: string,
    action: string,
    field: FormFields,
    catalogue: Catalogue,
    c: Context<OfficeEnv>,
  ): Promise<Result<OrderReturn, ReturnError>> | undefined {
    const actor = c.var.identity
    const target = { number, returnId: field('return'), actor }
    switch (action) {
      case 'create': {
        const expectedRevision = field('revision') === '' ? undefined : Number(field('revision'))
        return createReturn({ number, actor, expectedRevision, ...readNewReturn(field, catalogue) }, ctx)
      }
      case 'approve':
        return approveReturn({ ...target, replacements: readReplacements(field, catalogue) }, ctx)
      case 'decline':
        return declineReturn({ ...target, message: field('message') }, ctx)
      case 'receive':
        return receiveReturn(
          {
            ...target,
            restocked: listIndexes(field, 'restock'),
            expectedRefundCents: field('refund') === '' ? undefined : Number(field('refund')),
          },
          ctx,
        )
      case 'complete': {
        const amount = field('amount').trim().replaceAll(',', '')
        const refundCents =
          amount === '' ? 0 : /^\d{1,7}$/.test(amount) ? kshToCents(Number(amount)) : Number.NaN
        const includesShipping = field('shipping') !== ''
        const expectedDueCents = field('due') === '' ? undefined : Number(field('due'))
        return completeReturn({ ...target, refundCents, includesShipping, expectedDueCents }, ctx)
      }
      case 'cancel':
        return cancelReturn(target, ctx)
      case 'convert':
        return turnExchangeIntoReturn(target, ctx)
      default:
        return undefined
    }
  }

  return new Hono<OfficeEnv>()
    .get('/orders/:number/returns', (c) => {
      const { done, return: createdId } = c.req.query()
      return renderPage(c, c.req.param('number'), { done, createdId })
    })
    .post('/orders/:number/returns', async (c) => {
      const number = c.req.param('number').toUpperCase()
      const form = await parseForm(c)
      if (!form.ok) return renderFormError(c, form.error)
      const action = form.data('returnAction')
      const catalogue = await readLatestCatalogue(ctx)
      const unknownItem = findUnknownReplacement(form.data, catalogue)
      if (unknownItem !== undefined)
        return renderPage(
          c,
          number,
          {
            error: `We can’t find “${unknownItem}”. Choose the item and its size from the list that appears as you type, or enter its number.`,
          },
          form.data,
        )
      const changed = await performAction(number, action, form.data, catalogue, c)
      if (!changed) return renderFormError(c)
      if (!changed.ok) return renderPage(c, number, { error: formatServiceError(changed.error) }, form.data)
      if (['complete', 'receive', 'convert'].includes(action)) await startHousekeeping(c, ctx)
      const done = action === 'create' ? `return=${changed.data.id}` : `done=${getDone(action, changed.data)}`
      return c.redirect(`${getOrderReturnsPath(number)}?${done}`, 303)
    })
}

function getDone(action: string, changed: OrderReturn & { startedRefundCents?: number }): string {
  if (changed.startedRefundCents) return RECEIVED_WITH_REFUND
  return action === 'complete' && changed.refundedCents > 0 ? COMPLETED_WITH_REFUND : action
}

function describeSuccess(done: string, { record }: ReturnContext): string | undefined {
  const describe = (reason: 'exchange' | 'return') =>
    describeRefund(listLatestRefunds(record.refunds, reason), 'on the order’s page')
  switch (done) {
    case RECEIVED_WITH_REFUND:
      return `${RECEIVED_MESSAGE} ${describe('exchange')}`
    case COMPLETED_WITH_REFUND:
      return `Return completed. ${describe('return')}`
    default:
      return findSuccessMessage(SUCCESS_MESSAGES, done)
  }
}

function readNewReturn(field: FormFields, catalogue: Catalogue) {
  return {
    kind: parseReturnKind(field('kind')) ?? 'return',
    reason: parseReturnReason(field('reason')) ?? 'other',
    note: field('note'),
    lines: parseReturnLines(field).map((line) => ({
      ...line,
      replacementId: readReplacement(field, line.index, catalogue),
    })),
  }
}

/**
 * `other-…` is a name, a number, or picked from the list, such as `103 Snap Romper`, and takes precedence. `for-…` is the
 * selected size.
 */
function readReplacement(field: FormFields, index: number, catalogue: Catalogue): number | undefined {
  const other = field(`other-${index}`).trim()
  if (other === '') return parseReplacementId(field(`for-${index}`))
  const listed = findItem(catalogue, Number.parseInt(other, 10))
  if (listed && formatListedItem(listed) === other) return listed.id
  return parseReplacementId(other) ?? findItemByName(catalogue, other)?.id
}

/** Returns a replacement that was typed and isn't in the catalogue, or has several sizes. */
function findUnknownReplacement(field: FormFields, catalogue: Catalogue): string | undefined {
  const takesReplacements =
    field('returnAction') === 'approve' ||
    (field('returnAction') === 'create' && parseReturnKind(field('kind')) === 'exchange')
  const index = takesReplacements
    ? listIndexes(field, 'other')
        .filter((index) => field(`other-${index}`).trim() !== '')
        .find((index) => readReplacement(field, index, catalogue) === undefined)
    : undefined
  return index === undefined ? undefined : field(`other-${index}`).trim()
}

function readReplacements(field: FormFields, catalogue: Catalogue): (number | undefined)[] {
  const replacements: (number | undefined)[] = []
  for (const index of [...listIndexes(field, 'for'), ...listIndexes(field, 'other')])
    replacements[index] = readReplacement(field, index, catalogue)
  return replacements
}
