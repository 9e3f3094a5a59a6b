import type { OrderDetails } from '#server/orders/office-order.ts'
import { type OrderExtra, visibleFields } from '#shared/orders/fields.ts'
import { normaliseMobile } from '#shared/payments/payment.ts'
import { shop } from '#shared/shop.ts'

export function OrderExtras({ extras }: { extras: readonly OrderExtra[] }) {
  return extras.map(({ heading, text }) => (
    <div key={heading} className="order-extra">
      <h3>{heading}</h3>
      <p>{text}</p>
    </div>
  ))
}

export function Customer({ order: { row }, isPacker }: { order: OrderDetails; isPacker: boolean }) {
  const { firstName, email, number, pickup } = row
  const { name, address, phone, extras } = visibleFields(row, 'office')
  const mobile = normaliseMobile(phone)
  const dial = mobile ? `+${mobile}` : phone.replace(/[^\d+]/g, '')
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
      </address>
      <OrderExtras extras={extras} />
      <div className="actions actions--pairs">
        <a
          className="button button--quiet"
          href={`https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(address.join(', '))}`}
          rel="noreferrer"
          target="_blank"
        >
          Open map
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
        {isPacker ? null : (
          <a
            className="button button--quiet"
            href={`mailto:${encodeURIComponent(email)}?subject=${encodeURIComponent(`Your ${shop.name} order ${number}`)}`}
          >
            Email
          </a>
        )}
      </div>
    </section>
  )
}
