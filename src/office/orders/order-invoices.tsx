import { DateTime } from '#office/platform/date-time.tsx'
import { getOrderPath } from '#office/platform/sections.ts'
import { formatDocumentTitle } from '#server/invoices/documents.ts'
import type { OrderDetails } from '#server/orders/office-order.ts'
import { formatMoney } from '#shared/format.ts'

type OrderInvoicesProps = {
  order: OrderDetails
  kraPin: string | undefined
}

export function OrderInvoices({ order: { row, documents }, kraPin = row.kraPin ?? '' }: OrderInvoicesProps) {
  const path = getOrderPath(row.number)
  return (
    <section className="panel">
      <h2>Invoices</h2>
      {documents.length === 0 ? (
        <p>
          {row.totalCents === 0
            ? 'There’s no invoice, because there’s nothing to pay.'
            : 'The invoice is issued when the order is paid.'}
        </p>
      ) : null}
      <ul className="rows">
        {documents.map((document) => (
          <li key={formatDocumentTitle(document)}>
            <strong>{formatDocumentTitle(document)}</strong> {formatMoney(document.totalCents)}
            <span className="note">
              <DateTime atMs={document.issuedAtMs} />
            </span>
          </li>
        ))}
      </ul>
      {documents.length > 0 ? (
        <p>
          <a className="button button--quiet" href={`${path}/invoice`} download="">
            Download invoice
          </a>
        </p>
      ) : null}
      <form className="inline" method="post" action={`${path}/pin`}>
        <div className="field">
          <label htmlFor="kra-pin">Customer’s KRA PIN</label>
          <input
            id="kra-pin"
            name="kraPin"
            defaultValue={kraPin}
            autoCapitalize="characters"
            autoComplete="off"
            maxLength={11}
          />
        </div>
        <button className="button button--quiet" type="submit">
          Save PIN
        </button>
      </form>
    </section>
  )
}
