import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { invoices, outbox, sellers } from '#server/platform/db/schema.ts'
import { shop } from '#shared/shop.ts'

/**
 * A sentence with the invoice number replaces this placeholder. Order fields can't contain it, because control
 * characters are removed from them.
 */
export const INVOICE_PLACEHOLDER = '\u0002INVOICE\u0003'

/** Must follow the statements that issue the invoice. If there is no invoice, removes the placeholder. */
export function replaceInvoicePlaceholderStatement(orderId: string, { db }: DataContext) {
  const withDefault = (column: SQL | typeof sellers.name) => sql`coalesce(${column}, ${shop.name})`
  const plain = createInvoiceSentence(orderId, sql`${withDefault(sellers.name)}`, sql`${sellers.address}`)
  const html = createInvoiceSentence(
    orderId,
    escapeHtmlSql(withDefault(sellers.name)),
    escapeHtmlSql(sql`${sellers.address}`),
  )
  return db
    .update(outbox)
    .set({
      text: sql`replace(${outbox.text}, ${INVOICE_PLACEHOLDER}, ${plain})`,
      html: sql`replace(${outbox.html}, ${INVOICE_PLACEHOLDER}, ${html})`,
    })
    .where(and(eq(outbox.subjectId, orderId), eq(outbox.kind, 'order-confirmation')))
}

function createInvoiceSentence(orderId: string, name: SQL, address: SQL): SQL {
  return sql`coalesce((select printf('Invoice INV-%06d from ', ${invoices.number}) || ${name}
    || coalesce(', KRA PIN ' || nullif(${sellers.pin}, ''), '')
    || coalesce(', ' || nullif(${address}, ''), '') || '.'
    from ${invoices} left join ${sellers} on ${sellers.id} = ${invoices.sellerId}
    where ${invoices.orderId} = ${orderId} and ${invoices.kind} = 'invoice'
    order by ${invoices.number} desc limit 1), '')`
}

function escapeHtmlSql(text: SQL): SQL {
  return sql`replace(replace(replace(${text}, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')`
}
