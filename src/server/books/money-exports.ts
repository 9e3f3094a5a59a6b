import { inArray, sql } from 'drizzle-orm'
import { formatDocumentName } from '#server/invoices/documents.ts'
import { incomingPayments, invoices, orders, payments, refunds } from '#server/platform/db/schema.ts'
import { getPaymentMethodName } from '#shared/payments/method-name.ts'
import { SURPLUS_REASONS } from '#shared/payments/refunds.ts'
import {
  EXPORT_PAGE_ROWS,
  type ExportDefinition,
  moneyColumn,
  numberColumn,
  textColumn,
  timeColumn,
} from './export-columns.ts'
import { STATEMENT_PROVIDERS } from './statement.ts'

type MoneyRow = {
  id: string
  kind: 'payment' | 'refund'
  atMs: number
  order: string | null
  method: string
  receipt: string | null
  reference: string | null
  amountCents: number
  document: number | null
}

export const paymentExport: ExportDefinition<MoneyRow> = {
  label: 'Payments and refunds',
  columns: {
    at: timeColumn('Date', ({ atMs }) => atMs),
    kind: textColumn('Kind', ({ kind }) => (kind === 'payment' ? 'Payment' : 'Refund')),
    number: textColumn('Order', ({ order }) => order),
    method: textColumn('Method', ({ method }) => getPaymentMethodName(method)),
    receipt: textColumn('Receipt', ({ receipt }) => receipt),
    reference: textColumn('Reference', ({ reference }) => reference),
    amountCents: moneyColumn('Amount', ({ amountCents }) => amountCents),
    document: textColumn('Invoice or credit note', ({ kind, document }) =>
      document === null
        ? null
        : formatDocumentName({ kind: kind === 'payment' ? 'invoice' : 'credit_note', number: document }),
    ),
  },
  readPage({ startMs, endMs }, last, { db }) {
    const sinceMs = last?.atMs ?? startMs
    const byPageStart = last ? sql`(at, kind, id) > (${last.atMs}, ${last.kind}, ${last.id})` : sql`true`
    const method = sql`coalesce(${payments.manualType}, ${payments.provider})`
    const paid = sql`select ${payments.endedAtMs} as at, 'payment' as kind, ${payments.id} as id, ${payments.orderId} as order_id,
      ${method} as method, ${payments.receipt} as receipt, ${payments.reference} as reference, ${payments.amountCents} as amount
      from ${payments} where ${payments.state} = 'settled' and ${payments.amountCents} > 0 and ${payments.endedAtMs} >= ${sinceMs} and ${payments.endedAtMs} < ${endMs}`
    const refunded = sql`select ${refunds.completedAtMs} as at, 'refund' as kind, ${refunds.id} as id, ${refunds.orderId} as order_id,
      ${method} as method, ${payments.receipt} as receipt, ${refunds.reference} as reference, -${refunds.amountCents} as amount
      from ${refunds} join ${payments} on ${payments.id} = ${refunds.paymentId}
      where ${refunds.state} = 'done' and ${refunds.completedAtMs} >= ${sinceMs} and ${refunds.completedAtMs} < ${endMs}`
    const byMissingOrder = sql`${incomingPayments.paymentId} is null and ${incomingPayments.verifiedAtMs} is not null`
    const { provider, paidAtMs, returnedAtMs, amountCents } = incomingPayments
    const id = sql`${provider} || ' ' || ${incomingPayments.receipt}`
    const unassigned = sql`select ${paidAtMs} as at, 'payment' as kind, ${id} as id, null as order_id,
      ${provider} as method, ${incomingPayments.receipt} as receipt, null as reference, ${amountCents} as amount
      from ${incomingPayments} where ${inArray(provider, [...STATEMENT_PROVIDERS])} and ${byMissingOrder}
      and ${paidAtMs} >= ${sinceMs} and ${paidAtMs} < ${endMs}`
    const returned = sql`select ${returnedAtMs} as at, 'refund' as kind, ${id} as id, null as order_id,
      ${provider} as method, ${incomingPayments.receipt} as receipt, null as reference, -${amountCents} as amount
      from ${incomingPayments} where ${byMissingOrder} and ${returnedAtMs} >= ${sinceMs} and ${returnedAtMs} < ${endMs}`
    // Each query has its own limit, so that the outer query sorts at most one page of each.
    const selectPage = (rows: typeof paid) =>
      sql`select * from (select * from (${rows}) where ${byPageStart} order by at, id limit ${EXPORT_PAGE_ROWS})`
    // Payments that arrive before an order is placed share one invoice, which is issued when the order is placed.
    const partPaid = sql`select min(${invoices.number}) from ${invoices} where moved.kind = 'payment' and ${invoices.orderId} = moved.order_id
      and ${invoices.kind} = 'invoice' and ${invoices.issuedAtMs} >= moved.at
      and not exists (select 1 from ${refunds} where ${refunds.paymentId} = moved.id and ${inArray(refunds.reason, [...SURPLUS_REASONS])})
      having count(*) > 0`
    return db.all<MoneyRow>(sql`select moved.id, moved.kind, at as "atMs", ${orders.number} as "order", moved.method, receipt,
        reference, amount as "amountCents",
        (select * from (select ${invoices.number} from ${invoices} where moved.kind = 'payment' and ${invoices.paymentId} = moved.id and ${invoices.kind} = 'invoice'
          union all ${partPaid}
          union all select ${invoices.number} from ${invoices} where moved.kind = 'refund' and ${invoices.refundId} = moved.id) limit 1) as document
      from (${selectPage(paid)} union all ${selectPage(refunded)} union all ${selectPage(unassigned)} union all ${selectPage(returned)}) moved
      left join ${orders} on ${orders.id} = order_id
      order by at, moved.kind, moved.id limit ${EXPORT_PAGE_ROWS}`)
  },
}

type VatRow = {
  month: string
  vatPercent: number
  invoices: number
  creditNotes: number
  taxableCents: number
  vatCents: number
  shippingCents: number
  roundingCents: number
  totalCents: number
}

export const vatExport: ExportDefinition<VatRow> = {
  label: 'VAT by month',
  columns: {
    month: textColumn('Month', ({ month }) => month),
    vatPercent: numberColumn('VAT rate (%)', ({ vatPercent }) => vatPercent),
    invoices: numberColumn('Invoices', (row) => row.invoices),
    creditNotes: numberColumn('Credit notes', ({ creditNotes }) => creditNotes),
    taxableCents: moneyColumn('Taxable sales', ({ taxableCents }) => taxableCents),
    vatCents: moneyColumn('VAT', ({ vatCents }) => vatCents),
    shippingCents: moneyColumn('Shipping (no VAT)', ({ shippingCents }) => shippingCents),
    roundingCents: moneyColumn('Rounding', ({ roundingCents }) => roundingCents),
    totalCents: moneyColumn('Total', ({ totalCents }) => totalCents),
  },
  async readPage({ startMs, endMs }, last, { db }) {
    if (last) return []
    return db.all<VatRow>(sql`select strftime('%Y-%m', ${invoices.issuedAtMs} / 1000, 'unixepoch', '+3 hours') as month,
        ${invoices.vatPercent} as "vatPercent", sum(${invoices.kind} = 'invoice') as invoices,
        sum(${invoices.kind} = 'credit_note') as "creditNotes",
        sum(${invoices.subtotalCents} - ${invoices.discountCents}) as "taxableCents", sum(${invoices.vatCents}) as "vatCents",
        sum(${invoices.shippingCents}) as "shippingCents", sum(${invoices.roundingCents}) as "roundingCents",
        sum(${invoices.totalCents}) as "totalCents"
      from ${invoices} where ${invoices.issuedAtMs} >= ${startMs} and ${invoices.issuedAtMs} < ${endMs}
      group by 1, 2 order by 1, 2`)
  },
}
