import { sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import {
  createDocumentBlocks,
  formatDocumentTitle,
  type OrderDocument,
  selectDocuments,
  toDocuments,
} from '#server/invoices/documents.ts'
import { formatPaidAmount, formatPaymentMethod } from '#server/payments/payment-attempts.ts'
import { type EmailBlock, renderEmail } from '#server/platform/email/layout.ts'
import { fillContactDetails } from '#server/platform/email/mailer.ts'
import type { ContactDetails } from '#shared/content/content.ts'
import { formatMoney } from '#shared/format.ts'
import { getVisibleFields } from '#shared/orders/fields.ts'
import { shop } from '#shared/shop.ts'
import { formatLongDate } from '#shared/time.ts'
import {
  createDeliveryAddressBlock,
  createDeliveryBlocks,
  createOrderExtraBlocks,
  createOrderRowsBlock,
} from './confirmation-emails.ts'
import type { OrderRecord } from './order-record.ts'

/** Renders the invoices and credit notes, or the order itself while there are none. `name` is the file name. */
export async function renderReceipt(
  record: OrderRecord,
  contact: Pick<ContactDetails, 'email' | 'phone'>,
  { db }: DataContext,
): Promise<{ name: string; html: string }> {
  const { row } = record
  const documents = toDocuments(...(await db.batch(selectDocuments(db, sql`(${row.id})`))))
  const [first, ...others] = documents
  const body = first
    ? renderEmail(formatDocumentTitle(first), [
        ...createDocumentBlocks(first, toDocumentOrder(record), documents),
        ...others.flatMap((document) => createLaterDocumentBlocks(document, record, documents)),
        // The customer's KRA PIN is left out, because the invoice already has it.
        ...createReceiptDeliveryBlocks({ ...record, row: { ...row, kraPin: null } }),
      ])
    : renderEmail(`Receipt for order ${row.number}`, [
        {
          kind: 'paragraph',
          text: `Ordered from ${shop.name}, ${shop.city}, on ${formatLongDate(row.createdAtMs)}.`,
        },
        createOrderRowsBlock(row, record.lines),
        ...createReceiptDeliveryBlocks(record),
      ])
  const name = `${shop.name}-${row.number}.html`
  return { name, html: fillContactDetails(body, contact).html }
}

function createLaterDocumentBlocks(
  document: OrderDocument,
  record: OrderRecord,
  all: readonly OrderDocument[],
): EmailBlock[] {
  return [
    { kind: 'heading', text: formatDocumentTitle(document) },
    ...createDocumentBlocks(document, toDocumentOrder(record), all),
  ]
}

function toDocumentOrder({ row }: OrderRecord) {
  const { name } = getVisibleFields(row, 'orderLink')
  return { number: row.number, buyer: name, kraPin: row.kraPin?.toUpperCase() ?? null }
}

function createReceiptDeliveryBlocks(record: OrderRecord): EmailBlock[] {
  const { row } = record
  return [
    ...listReceiptPayments(record).map((text) => ({ kind: 'paragraph' as const, text })),
    ...(row.pickup === null ? [createDeliveryAddressBlock(row, 'orderLink')] : createDeliveryBlocks(row)),
    ...createOrderExtraBlocks(row, 'orderLink'),
  ]
}

function listReceiptPayments({ row, payments, refunds }: OrderRecord): string[] {
  const settled = payments.filter(({ state }) => state === 'settled')
  if (settled.length === 0)
    return [['cancelled', 'expired'].includes(row.status) ? 'Not paid.' : 'Not paid yet.']
  return [
    ...settled.map((payment) =>
      settled.length === 1 ? `Payment: ${formatPaymentMethod(payment)}` : formatPaidAmount(payment),
    ),
    ...refunds.map(({ state, amountCents }) =>
      state === 'done'
        ? `Refunded: ${formatMoney(amountCents)}`
        : `Refund in progress: ${formatMoney(amountCents)}`,
    ),
  ]
}
