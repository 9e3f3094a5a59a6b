import type { OrderDetails } from '#server/orders/details.ts'
import { addressLines } from '#shared/checkout/checkout-form.ts'
import { localPhone, mobileNumber } from '#shared/payments/payment.ts'
import { shop } from '#shared/shop.ts'

/** Who the order is for and where it goes, with links to call, write to and find the customer. */
export function Customer({ order: { row } }: { order: OrderDetails }) {
  const { firstName, lastName, email, phone, number, pickup } = row
  const address = addressLines(row)
  const mobile = phone ? mobileNumber(phone) : undefined
  const dial = mobile ? `+${mobile}` : (phone ?? '').replace(/[^\d+]/g, '')
  const greeting = `Hello ${firstName}, this is ${shop.name} about your order ${number}. `
  return (
    <section className="panel">
      <h2>{pickup === null ? 'Deliver to' : 'Picks it up'}</h2>
      {pickup === null ? null : <p>{pickup}</p>}
      <address>
        <strong>
          {firstName} {lastName}
        </strong>
        {address.map((line) => (
          <span key={line}>{line}</span>
        ))}
        {phone ? <span>{mobile ? localPhone(mobile) : phone}</span> : null}
      </address>
      <div className="acts acts--pairs">
        <a
          className="button button--quiet"
          href={`https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(address.join(', '))}`}
          rel="noreferrer"
          target="_blank"
        >
          Map
        </a>
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
        <a
          className="button button--quiet"
          href={`mailto:${encodeURIComponent(email)}?subject=${encodeURIComponent(`Your ${shop.name} order ${number}`)}`}
        >
          Mail
        </a>
      </div>
    </section>
  )
}
