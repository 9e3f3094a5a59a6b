import { getCustomerPath } from '#office/platform/sections.ts'
import { DELETED_USER_ID } from '#server/accounts/personal-data.ts'
import type { OrderDetails } from '#server/orders/office-order.ts'
import { getVisibleFields, type OrderExtra } from '#shared/orders/fields.ts'
import { formatLocalPhone, normaliseMobile } from '#shared/payments/payment.ts'
import { shop } from '#shared/shop.ts'

export function OrderExtras({ extras }: { extras: readonly OrderExtra[] }) {
  return extras.map(({ heading, text }) => (
    <div key={heading} className="order-extra">
      <h3>{heading}</h3>
      <p>{text}</p>
    </div>
  ))
}

/** Without a phone number for the rider, the payer's number is the only one to call. */
export function findPayerPhone({ row, payments }: OrderDetails): string | null {
  if (row.phone) return null
  return payments.findLast(({ state, phone }) => state === 'settled' && phone !== null)?.phone ?? null
}

export function PayerPhone({ phone }: { phone: string }) {
  return <span>Paid from {formatLocalPhone(phone)}</span>
}

export function OrderCustomer({ order, isPacker }: { order: OrderDetails; isPacker: boolean }) {
  const { row } = order
  const { firstName, email, number, pickup } = row
  const payerPhone = findPayerPhone(order)
  const { name, address, phone, extras } = getVisibleFields(row, 'office')
  const greeting = `Hello ${firstName}, this is ${shop.name} about your order ${number}. `
  return (
    <section className="panel">
      <h2>{pickup === null ? 'Deliver to' : 'Pickup'}</h2>
      {pickup === null ? null : <p>{pickup}</p>}
      <address>
        <strong>{name}</strong>
        {address.map((line) => (
          <span key={line}>{line}</span>
        ))}
        {phone ? <span>{phone}</span> : null}
        {payerPhone === null ? null : <PayerPhone phone={payerPhone} />}
      </address>
      <OrderExtras extras={extras} />
      <div className="actions actions--pairs">
        {pickup === null && address.length > 0 ? (
          <a
            className="button button--quiet"
            href={`https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(address.join(', '))}`}
            rel="noreferrer"
            target="_blank"
          >
            Open map
          </a>
        ) : null}
        <ContactLinks
          phone={row.phone ?? payerPhone}
          email={isPacker || !email ? null : email}
          greeting={greeting}
          subject={`Your ${shop.name} order ${number}`}
        />
      </div>
      {isPacker || row.userId === DELETED_USER_ID ? null : (
        <p>
          <a className="page-link" href={getCustomerPath(row.userId)}>
            View customer’s orders and notes
          </a>
        </p>
      )}
    </section>
  )
}

type ContactLinksProps = { phone: string | null; email: string | null; greeting: string; subject: string }

export function ContactLinks({ phone, email, greeting, subject }: ContactLinksProps) {
  const mobile = normaliseMobile(phone ?? '')
  const dial = mobile ? `+${mobile}` : (phone ?? '').replace(/[^\d+]/g, '')
  return (
    <>
      {dial ? (
        <a className="button button--quiet" href={`tel:${dial}`}>
          Call
        </a>
      ) : null}
      {mobile ? (
        <a
          className="button button--quiet"
          href={`https://wa.me/${mobile}?text=${encodeURIComponent(greeting)}`}
          rel="noreferrer"
          target="_blank"
        >
          WhatsApp
        </a>
      ) : null}
      {email === null ? null : (
        <a
          className="button button--quiet"
          href={`mailto:${encodeURIComponent(email)}?subject=${encodeURIComponent(subject)}`}
        >
          Email
        </a>
      )}
    </>
  )
}
