import { type Context, Hono } from 'hono'
import { parseQty, QTY_MESSAGE, readCatalogueWithStock } from '#office/catalogue/item-picker.tsx'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { renderFormError, startHousekeeping } from '#office/platform/form.ts'
import { renderErrorPage, renderOfficePage } from '#office/platform/layout.tsx'
import { getOrderPath } from '#office/platform/sections.ts'
import { readLatestCatalogue } from '#server/catalogue/catalogue-versions.ts'
import { type EditPreview, editOrder, previewEdit } from '#server/orders/edit-order.ts'
import { type OrderDetails, readOrderDetails } from '#server/orders/office-order.ts'
import { type FormFields, parseForm } from '#server/platform/http/body.ts'
import { formatServiceError } from '#server/platform/result.ts'
import { formatMoney, formatNameWithSize } from '#shared/format.ts'
import { cleanOrderField } from '#shared/orders/contract.ts'
import { getShortLabel } from '#shared/orders/fields.ts'
import { listEditableStatuses } from '#shared/orders/order-status.ts'
import {
  EditForm,
  type EnteredEdit,
  formatShownTotal,
  isInvalidLine,
  listEditableFields,
} from './edit-form.tsx'

type Notice = { notice?: string; isError?: boolean; fieldErrors?: Readonly<Record<string, string>> }

export function editOrderRoutes(ctx: OfficeContext) {
  async function renderPage(
    c: Context<OfficeEnv>,
    order: OrderDetails,
    entered: EnteredEdit,
    { fieldErrors = {}, ...notice }: Notice = {},
  ) {
    const catalogue = await readCatalogueWithStock(c.var.ownerContext())
    const { number } = order.row
    const preview = entered.lines.some(isInvalidLine)
      ? undefined
      : await previewEdit({ number, lines: entered.lines }, catalogue, c.var.ownerContext())
    return renderOfficePage(
      c,
      {
        title: `Edit ${number}`,
        section: 'orders',
        ...notice,
        children: (
          <EditForm
            order={order}
            entered={entered}
            catalogue={catalogue}
            fieldErrors={fieldErrors}
            preview={preview}
          />
        ),
      },
      notice.isError ? 409 : 200,
    )
  }

  return new Hono<OfficeEnv>()
    .get('/orders/:number/edit', async (c) => {
      const order = await readOrderDetails(c.req.param('number'), c.var.ownerContext())
      if (!order) return renderErrorPage(c, 404, 'We can’t find this order.')
      if (!listEditableStatuses('delivery').includes(order.row.status))
        return renderErrorPage(
          c,
          404,
          'This order can’t be edited now. You can edit an order until it’s sent, ready for pickup, cancelled or expired.',
        )
      return renderPage(c, order, toEnteredEdit(order))
    })
    .post('/orders/:number/edit', async (c) => {
      const number = c.req.param('number').toUpperCase()
      const order = await readOrderDetails(number, c.var.ownerContext())
      const form = await parseForm(c)
      if (!order) return renderErrorPage(c, 404, 'We can’t find this order.')
      if (!form.ok) return renderFormError(c, form.error)
      const field = form.data
      const entered = parseEnteredEdit(field, order)
      if (entered.lines.some(isInvalidLine))
        return renderPage(c, order, entered, { notice: QTY_MESSAGE, isError: true })
      if (field('save') === '') return renderPage(c, order, entered)
      const { expectedRevision, fields, lines } = entered
      const hasLines = listEditableStatuses('lines').includes(order.row.status) && field('line-0') !== ''
      const preview =
        hasLines && expectedRevision === order.row.revision
          ? await previewEdit({ number, lines }, await readLatestCatalogue(ctx), c.var.ownerContext())
          : undefined
      if (preview && field.names.includes('shown') && field('shown') !== formatShownTotal(preview))
        return renderPage(c, order, entered, { notice: describeNewTotal(preview), isError: true })
      const edited = await editOrder(
        {
          number,
          expectedRevision,
          fields,
          ...(hasLines ? { lines: lines.map(({ id, qty }) => ({ id, qty })) } : {}),
          actor: c.var.identity,
        },
        ctx,
      )
      if (edited.ok) {
        await startHousekeeping(c, ctx)
        const startsRefund = edited.data.refunds.length > order.refunds.length
        return c.redirect(`${getOrderPath(number)}?done=${startsRefund ? 'edited-refund' : 'edited'}`, 303)
      }
      const { error } = edited
      // An outdated form gets the latest revision, so that saving again overwrites the other person's changes.
      const isOutdated = error.code === 'status_changed'
      const hint = isOutdated ? describeSavedOrder(order, entered) : ''
      return renderPage(
        c,
        order,
        isOutdated ? { ...entered, expectedRevision: order.row.revision } : entered,
        {
          notice: formatServiceError(error) + hint,
          isError: true,
          ...(error.fieldErrors ? { fieldErrors: error.fieldErrors } : {}),
        },
      )
    })
}

function describeNewTotal({ totalCents, dueCents, refundCents }: EditPreview): string {
  const outcome =
    dueCents > 0
      ? `, so ${formatMoney(dueCents)} will be due`
      : refundCents > 0
        ? `, so we’ll refund ${formatMoney(refundCents)}`
        : ''
  return `With your changes, the total is ${formatMoney(totalCents)}${outcome}. Please check it, then save again.`
}

/** Lists what is saved and differs from the form. */
function describeSavedOrder({ row, lines }: OrderDetails, entered: EnteredEdit): string {
  const fields = listEditableFields(row.pickup)
    .filter((field) => {
      const text = entered.fields[field]
      return text !== undefined && cleanOrderField(field, text) !== (row[field] ?? '')
    })
    .map((field) => `${getShortLabel(field)}: ${row[field] || 'empty'}`)
  const hasSameLines =
    lines.length === entered.lines.length &&
    lines.every(({ productId, qty }, index) => {
      const line = entered.lines[index]
      return line?.id === productId && line.qty === qty
    })
  const items = lines.map(({ qty, title, size }) => `${qty} × ${formatNameWithSize(title, size)}`).join('; ')
  const saved = [...fields, ...(hasSameLines || entered.lines.length === 0 ? [] : [`Items: ${items}`])]
  return saved.length > 0
    ? ` It now has: ${saved.join('. ')}. Save again to replace this with what you entered.`
    : ' It now has what you entered.'
}

function toEnteredEdit({ row, lines }: OrderDetails): EnteredEdit {
  return {
    expectedRevision: row.revision,
    fields: Object.fromEntries(listEditableFields(row.pickup).map((field) => [field, row[field] ?? ''])),
    lines: lines.map(({ productId, qty }) => ({ id: productId, qty })),
    query: '',
  }
}

const LINE_FIELD_PATTERN = /^line-(\d{1,3})$/

function parseEnteredEdit(field: FormFields, { row }: OrderDetails): EnteredEdit {
  const lines = field.names.flatMap((name): EnteredEdit['lines'] => {
    const [, index] = LINE_FIELD_PATTERN.exec(name) ?? []
    const id = Number(field(name))
    if (!index || !Number.isSafeInteger(id)) return []
    const text = field(`qty-${index}`)
    return [{ id, qty: parseQty(text) ?? 0, text }]
  })
  const addedId = Number(field('add'))
  return {
    expectedRevision: Number(field('seen')),
    fields: Object.fromEntries(
      listEditableFields(row.pickup).flatMap((name) =>
        field.names.includes(name) ? [[name, field(name)]] : [],
      ),
    ),
    lines: Number.isSafeInteger(addedId) && addedId > 0 ? [...lines, { id: addedId, qty: 1 }] : lines,
    query: field('q'),
  }
}
