import { Hono } from 'hono'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { renderErrorPage, renderOfficePage } from '#office/platform/layout.tsx'
import { type OrderStage, readBoard } from '#server/orders/office-board.ts'
import { type OrderDetails, readOrderForViewer } from '#server/orders/office-order.ts'
import { calculateBalance } from '#server/orders/order-record.ts'
import { getVisibleFields } from '#shared/orders/fields.ts'
import { shop } from '#shared/shop.ts'
import { formatDateTime } from '#shared/time.ts'
import { findPayerPhone, OrderExtras, PayerPhone } from './order-customer.tsx'
import { PaymentBadge } from './payment-badge.tsx'

const MAX_SLIPS = 20

export function packingSlipRoutes(ctx: OfficeContext) {
  return new Hono<OfficeEnv>().get('/packing-slips', async (c) => {
    const selected = c.req.queries('orders') ?? []
    const stage: OrderStage = c.req.query('stage') === 'send' ? 'send' : 'pack'
    const numbers =
      selected.length > 0
        ? [...new Set(selected)]
        : (await readBoard({ stage, after: undefined, viewer: c.var.identity }, ctx)).orders.map(
            ({ number }) => number,
          )
    const readableOrders = await Promise.all(
      numbers.slice(0, MAX_SLIPS).map((number) => readOrderForViewer(c.var.identity, number, ctx)),
    )
    const orders = readableOrders.filter((order) => order !== undefined)
    if (orders.length === 0) return renderErrorPage(c, 404, 'We can’t find these orders.')
    return renderOfficePage(c, {
      title: 'Packing slips',
      section: 'orders',
      children: (
        <>
          <div className="actions no-print">
            <h1>Packing slips</h1>
            <button className="button" type="button" data-print>
              Print {orders.length === 1 ? '1 slip' : `${orders.length} slips`}
            </button>
          </div>
          {orders.map((order) => (
            <PackingSlip key={order.row.id} order={order} />
          ))}
        </>
      ),
    })
  })
}

/** A packing slip goes into the parcel, so it must not show internal notes. */
function PackingSlip({ order }: { order: OrderDetails }) {
  const { row, lines } = order
  const { number, pickup, createdAtMs } = row
  const { name, address, phone, extras } = getVisibleFields(row, 'packingSlip')
  const payerPhone = findPayerPhone(order)
  const balance = calculateBalance(order)
  const itemCount = lines.reduce((sum, { qty }) => sum + qty, 0)
  return (
    <section className="slip" aria-label={`Packing slip for ${number}`}>
      <header>
        <p className="slip__shop">
          {shop.name}, {shop.city}
        </p>
        <h2>{number}</h2>
        <p>
          {formatDateTime(createdAtMs)}, {itemCount} {itemCount === 1 ? 'item' : 'items'}
        </p>
        {balance.status === 'paid' ? null : (
          <PaymentBadge balance={balance} isPacker isCashOnDelivery={row.isCashOnDelivery} />
        )}
      </header>
      <address>
        <strong>{name}</strong>
        {(pickup === null ? address : [`PICKUP: ${pickup}`]).map((line) => (
          <span key={line}>{line}</span>
        ))}
        {phone ? <span>{phone}</span> : null}
        {payerPhone === null ? null : <PayerPhone phone={payerPhone} />}
      </address>
      <ul className="slip__lines">
        {lines.map(({ position, qty, title, size, productId }) => (
          <li key={position}>
            <span className="slip__box" aria-hidden="true" />
            <strong>{qty} ×</strong>
            <span>
              {title}
              {size ? `, size ${size}` : ''} <small>({productId})</small>
            </span>
          </li>
        ))}
      </ul>
      <OrderExtras extras={extras} />
    </section>
  )
}
