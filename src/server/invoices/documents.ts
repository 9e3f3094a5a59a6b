import { and, asc, eq, inArray, type SQLWrapper } from 'drizzle-orm'
import type { Database } from '#server/platform/db/client.ts'
import { invoiceLines, invoices, sellers } from '#server/platform/db/schema.ts'
import type { PrintableBlock } from '#server/platform/email/layout.ts'
import { formatMoney, formatNameWithSize } from '#shared/format.ts'
import { shop } from '#shared/shop.ts'
import { formatLongDate } from '#shared/time.ts'

type InvoiceRow = typeof invoices.$inferSelect
type SellerRow = typeof sellers.$inferSelect
type LineRow = typeof invoiceLines.$inferSelect

export type OrderDocument = InvoiceRow & { seller: SellerRow | null; lines: readonly LineRow[] }

/** Pass the rows to {@link toDocuments}. */
export function selectDocuments(db: Database, orderIds: SQLWrapper) {
  const byOrder = inArray(invoices.orderId, orderIds)
  const byDocument = and(eq(invoiceLines.kind, invoices.kind), eq(invoiceLines.number, invoices.number))
  return [
    db
      .select()
      .from(invoices)
      .leftJoin(sellers, eq(sellers.id, invoices.sellerId))
      .where(byOrder)
      .orderBy(asc(invoices.issuedAtMs), asc(invoices.number)),
    db
      .select({ line: invoiceLines })
      .from(invoices)
      .innerJoin(invoiceLines, byDocument)
      .where(byOrder)
      .orderBy(asc(invoiceLines.position)),
  ] as const
}

export function toDocuments(
  rows: readonly { invoices: InvoiceRow; sellers: SellerRow | null }[],
  lines: readonly { line: LineRow }[],
): OrderDocument[] {
  return rows.map(({ invoices: invoice, sellers: seller }) => ({
    ...invoice,
    seller,
    lines: lines
      .map(({ line }) => line)
      .filter(({ kind, number }) => kind === invoice.kind && number === invoice.number),
  }))
}

const DOCUMENT_PREFIXES = { invoice: 'INV', credit_note: 'CN' } as const
const MIN_NUMBER_DIGITS = 6

export function formatDocumentName({ kind, number }: Pick<InvoiceRow, 'kind' | 'number'>): string {
  return `${DOCUMENT_PREFIXES[kind]}-${String(number).padStart(MIN_NUMBER_DIGITS, '0')}`
}

export function formatDocumentTitle(document: Pick<InvoiceRow, 'kind' | 'number'>): string {
  return `${document.kind === 'invoice' ? 'Invoice' : 'Credit note'} ${formatDocumentName(document)}`
}

type DocumentOrder = { number: string; buyer: string; kraPin: string | null }

export function createDocumentBlocks(
  document: OrderDocument,
  { number, buyer, kraPin }: DocumentOrder,
  all: readonly OrderDocument[],
): PrintableBlock[] {
  const { kind, issuedAtMs, seller, paymentId } = document
  const invoices = all.filter((other) => other.kind === 'invoice')
  // A payment of part of the total may share the invoice of another payment.
  const credited = invoices.find((other) => other.paymentId === paymentId) ?? invoices[0]
  const documentSubject =
    kind === 'credit_note' && credited
      ? `invoice ${formatDocumentName(credited)}, order ${number}`
      : `order ${number}`
  const from = [
    seller?.name ?? `${shop.name}, ${shop.city}`,
    seller?.pin && `KRA PIN ${seller.pin}`,
    seller?.address,
  ]
  return [
    { kind: 'paragraph', text: `Issued on ${formatLongDate(issuedAtMs)} for ${documentSubject}.` },
    { kind: 'quote', text: ['From:', ...from].filter(Boolean).join('\n') },
    { kind: 'quote', text: ['To:', buyer, kraPin && `KRA PIN ${kraPin}`].filter(Boolean).join('\n') },
    { kind: 'rows', rows: createDocumentRows(document) },
  ]
}

function createDocumentRows(document: OrderDocument) {
  const { lines, subtotalCents, discountCents, shippingCents, vatCents, vatPercent } = document
  const { roundingCents, totalCents } = document
  const linesCents = lines.reduce((sum, { unitPriceCents, qty }) => sum + unitPriceCents * qty, 0)
  const isWhole = linesCents === Math.abs(subtotalCents)
  const row = (label: string, cents: number) => ({ label, value: formatMoney(cents) })
  const rowUnlessZero = (label: string, cents: number) => (cents === 0 ? [] : [row(label, cents)])
  return [
    ...lines.map(({ title, size, qty, unitPriceCents }) => {
      const price = unitPriceCents * qty
      const label = `${formatNameWithSize(title, size)} × ${qty}`
      if (document.kind === 'invoice') return row(label, price)
      return isWhole ? row(label, -price) : { label, value: `part of ${formatMoney(price)}` }
    }),
    ...rowUnlessZero('Discount', -discountCents),
    row(`Goods taxed at ${vatPercent}%`, subtotalCents - discountCents),
    row(`VAT (${vatPercent}%)`, vatCents),
    ...rowUnlessZero('Shipping (no VAT)', shippingCents),
    ...rowUnlessZero('Rounding', roundingCents),
    { ...row('Total', totalCents), isStrong: true },
  ]
}
