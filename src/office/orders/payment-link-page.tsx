import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { DateTime } from '#office/platform/date-time.tsx'
import { readForm, startHousekeeping } from '#office/platform/form.ts'
import { renderErrorPage, renderOfficePage } from '#office/platform/layout.tsx'
import { getOrderPath } from '#office/platform/sections.ts'
import { ShareLinks } from '#office/platform/share-links.tsx'
import { type OrderDetails, readOrderDetails } from '#server/orders/office-order.ts'
import { calculateBalance } from '#server/orders/order-record.ts'
import { emailPaymentLink } from '#server/orders/payment-link.ts'
import { formatServiceError } from '#server/platform/result.ts'
import { formatMoney } from '#shared/format.ts'
import { normaliseMobile } from '#shared/payments/payment.ts'
import { shop } from '#shared/shop.ts'
import { renderOrderPage } from './order-page.tsx'

const promptFormSchema = z.object({ phone: z.string() })

/** Anyone with the link can view and pay for the order. */
export function paymentLinkRoutes(ctx: OfficeContext) {
  async function renderPage(
    c: Context<OfficeEnv>,
    order: OrderDetails,
    rejection?: { notice: string; phone: string },
  ) {
    const { row } = order
    if (calculateBalance(order).dueCents === 0)
      return renderOrderPage(c, order, { notice: 'This order isn’t awaiting payment.', isError: true })
    const link = await ctx.createOrderLink(row.number)
    return renderOfficePage(
      c,
      {
        title: `Payment link for ${row.number}`,
        section: 'orders',
        ...(rejection ? { notice: rejection.notice, isError: true } : {}),
        children: <PaymentLink order={order} link={link} enteredPhone={rejection?.phone} />,
      },
      rejection ? 409 : 200,
    )
  }

  return new Hono<OfficeEnv>()
    .get('/orders/:number/payment-link', async (c) => {
      const order = await readOrderDetails(c.req.param('number'), c.var.ownerContext())
      return order ? renderPage(c, order) : renderErrorPage(c, 404, 'We can’t find this order.')
    })
    .post('/orders/:number/prompt', async (c) => {
      const form = await readForm(c, promptFormSchema)
      if (form instanceof Response) return form
      const number = c.req.param('number').toUpperCase()
      const { problem } = await ctx.promptPayment({ number, phone: form.phone, actor: c.var.identity })
      if (problem === undefined) return c.redirect(`${getOrderPath(number)}?done=prompted`, 303)
      const order = await readOrderDetails(number, c.var.ownerContext())
      return order
        ? renderPage(c, order, { notice: problem, phone: form.phone })
        : renderErrorPage(c, 404, 'We can’t find this order.')
    })
    .post('/orders/:number/payment-link', async (c) => {
      const number = c.req.param('number')
      const emailed = await emailPaymentLink({ number, actor: c.var.identity }, ctx)
      if (emailed.ok) {
        await startHousekeeping(c, ctx)
        return c.redirect(`${getOrderPath(emailed.data.number)}?done=link`, 303)
      }
      const order = await readOrderDetails(number, c.var.ownerContext())
      if (!order) return renderErrorPage(c, 404, 'We can’t find this order.')
      return renderOrderPage(c, order, { notice: formatServiceError(emailed.error), isError: true })
    })
}

type PaymentLinkProps = { order: OrderDetails; link: string; enteredPhone: string | undefined }

function PaymentLink({ order, link, enteredPhone }: PaymentLinkProps) {
  const { row } = order
  const { number, firstName, status, email, phone } = row
  const amount = formatMoney(calculateBalance(order).dueCents)
  const expiresAtMs = status === 'awaiting_payment' && row.paidCents === 0 ? row.expiresAtMs : null
  const mobile = normaliseMobile(phone ?? '')
  const text = `Hello ${firstName}, here’s the link to pay ${amount} for your ${shop.name} order ${number}:`
  const body = encodeURIComponent(`${text}\n${link}`)
  return (
    <>
      <h1>Payment link for {number}</h1>
      <p>
        <a className="page-link" href={getOrderPath(number)}>
          Back to the order
        </a>
      </p>
      <section className="panel">
        <p>
          Anyone with this link can view the order and pay {amount}, without an account.
          {expiresAtMs === null ? null : (
            <>
              {' It works until '}
              <DateTime atMs={expiresAtMs} isInline />, when the order expires.
            </>
          )}
        </p>
        <ShareLinks id="payment-link" label="Payment link" link={link} text={text} mobile={mobile} />
        <div className="actions">
          <a className="button button--quiet" href={`sms:${mobile ? `+${mobile}` : ''}?&body=${body}`}>
            Send by SMS
          </a>
          <a
            className="button button--quiet"
            href={`mailto:${encodeURIComponent(email)}?subject=${encodeURIComponent(`Pay for your ${shop.name} order ${number}`)}&body=${body}`}
          >
            Write an email
          </a>
        </div>
      </section>
      <form className="panel inline" method="post" action={`${getOrderPath(number)}/prompt`}>
        <div className="field">
          <label htmlFor="phone">M-Pesa phone number (the customer enters their PIN on that phone)</label>
          <input
            id="phone"
            name="phone"
            type="tel"
            defaultValue={enteredPhone ?? phone ?? ''}
            autoComplete="off"
            maxLength={24}
            required
          />
        </div>
        <button className="button button--quiet" type="submit">
          Send M-Pesa prompt, {amount}
        </button>
      </form>
      {email ? (
        <form className="actions" method="post" action={`${getOrderPath(number)}/payment-link`}>
          <button className="button" type="submit">
            Email the link to {email}
          </button>
        </form>
      ) : null}
    </>
  )
}
