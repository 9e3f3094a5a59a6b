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
import { listSettledPayments } from '#server/payments/refunds.ts'
import { type PrintableBlock, renderEmail } from '#server/platform/email/layout.ts'
import { fillContactDetails } from '#server/platform/email/mailer.ts'
import { renderPdf } from '#server/platform/pdf/render-pdf.ts'
import type { ContactDetails } from '#shared/content/content.ts'
import { formatMoney } from '#shared/format.ts'
import { getVisibleFields } from '#shared/orders/fields.ts'
import { NOTHING_LEFT_TO_PAY_MESSAGE, NOTHING_TO_PAY_MESSAGE } from '#shared/orders/payment-status.ts'
import { shop } from '#shared/shop.ts'
import { formatLongDate } from '#shared/time.ts'
import { createDeliveryBlocks, createOrderExtraBlocks, createOrderRowsBlock } from './confirmation-emails.ts'
import { calculateBalance, type OrderRecord } from './order-record.ts'

type Receipt = { name: string; contentType: string; body: Uint8Array<ArrayBuffer> | string }

/**
 * Renders the invoices and credit notes, or the order itself while there are none. The file is a PDF, or HTML if the
 * PDF's fonts lack a character, for example in Arabic or Amharic. `name` is the file name.
 */
export async function renderReceipt(
  record: OrderRecord,
  contact: Pick<ContactDetails, 'email' | 'phone'>,
  { db }: DataContext,
): Promise<Receipt> {
  const { row } = record
  const documents = toDocuments(...(await db.batch(selectDocuments(db, sql`(${row.id})`))))
  const [first] = documents
  const heading = first ? formatDocumentTitle(first) : `Receipt for order ${row.number}`
  const blocks = first ? createDocumentsBlocks(record, documents) : createOrderBlocks(record)
  const name = `${shop.name}-${row.number}`
  const pdf = renderPdf(heading, blocks, contact)
  if (pdf) return { name: `${name}.pdf`, contentType: 'application/pdf', body: pdf }
  const { html } = fillContactDetails(renderEmail(heading, blocks), contact)
  return { name: `${name}.html`, contentType: 'text/html; charset=UTF-8', body: html }
}

/** Omits the first document's heading, which is the file's title. */
function createDocumentsBlocks(record: OrderRecord, documents: readonly OrderDocument[]): PrintableBlock[] {
  return [
    ...documents.flatMap((document, index): PrintableBlock[] => [
      ...(index === 0 ? [] : [{ kind: 'heading' as const, text: formatDocumentTitle(document) }]),
      ...createDocumentBlocks(document, toDocumentOrder(record), documents),
    ]),
    // The customer's KRA PIN is left out, because the invoice already has it.
    ...createReceiptDeliveryBlocks({ ...record, row: { ...record.row, kraPin: null } }),
  ]
}

function createOrderBlocks(record: OrderRecord): PrintableBlock[] {
  const { row, lines } = record
  return [
    {
      kind: 'paragraph',
      text: `Ordered from ${shop.name}, ${shop.city}, on ${formatLongDate(row.createdAtMs)}.`,
    },
    createOrderRowsBlock(row, lines),
    ...createReceiptDeliveryBlocks(record),
  ]
}

function toDocumentOrder({ row }: OrderRecord) {
  const { name } = getVisibleFields(row, 'orderLink')
  return { number: row.number, buyer: name, kraPin: row.kraPin?.toUpperCase() ?? null }
}

function createReceiptDeliveryBlocks(record: OrderRecord): PrintableBlock[] {
  const { row } = record
  return [
    ...listReceiptPayments(record).map((text) => ({ kind: 'paragraph' as const, text })),
    ...createDeliveryBlocks(row, 'Delivery address:', 'orderLink'),
    ...createOrderExtraBlocks(row, 'orderLink'),
  ]
}

function listReceiptPayments({ row, payments, refunds }: OrderRecord): string[] {
  const settled = listSettledPayments(payments, refunds)
  if (settled.length === 0) {
    if (['cancelled', 'expired'].includes(row.status)) return ['Not paid.']
    const { dueCents } = calculateBalance({ row, payments, refunds })
    return [dueCents > 0 ? 'Not paid yet.' : NOTHING_LEFT_TO_PAY_MESSAGE]
  }
  if (row.totalCents === 0 && row.paidCents === 0) return [NOTHING_TO_PAY_MESSAGE]
  return [
    ...settled.map((payment) =>
      settled.length === 1 ? `Payment: ${formatPaymentMethod(payment)}` : formatPaidAmount(payment),
    ),
    ...refunds
      .filter(({ paymentId }) => settled.some(({ id }) => id === paymentId))
      .map(({ state, amountCents }) =>
        state === 'done'
          ? `Refunded: ${formatMoney(amountCents)}`
          : `Refund in progress: ${formatMoney(amountCents)}`,
      ),
  ]
}
