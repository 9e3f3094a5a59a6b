import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { describeRequestedRefund } from '#office/orders/describe-refund.ts'
import { describePaymentError } from '#office/payments/error-advice.ts'
import { REFUND_STATE_LABELS } from '#office/payments/payment-labels.ts'
import { DateTime } from '#office/platform/date-time.tsx'
import { findSuccessMessage, formTextSchema, readForm, startHousekeeping } from '#office/platform/form.ts'
import { Confirmation, renderErrorPage, renderOfficePage } from '#office/platform/layout.tsx'
import { getOrderPath } from '#office/platform/sections.ts'
import {
  type Assignment,
  assignIncomingPayment,
  markIncomingPaymentReturned,
  planAssignment,
} from '#server/books/assign-incoming.ts'
import {
  listUnassignedPayments,
  readUnassignedPayment,
  type UnassignedPayment,
} from '#server/books/list-incoming.ts'
import { requestConfirmationUrlRegistration } from '#server/books/pull-incoming.ts'
import { refundIncomingPayment } from '#server/books/refund-incoming.ts'
import { type OrderDetails, readOrderDetails } from '#server/orders/office-order.ts'
import { formatFullName } from '#shared/accounts/account-forms.ts'
import { formatMoney } from '#shared/format.ts'
import { getProviderDescriptor, PROVIDER_NAMES } from '#shared/payments/providers.ts'

const incomingPaymentFormSchema = z.object({ provider: z.enum(PROVIDER_NAMES), receipt: formTextSchema })
const assignFormSchema = z.object({ ...incomingPaymentFormSchema.shape, number: formTextSchema })

const SUCCESS_MESSAGES: Record<string, string> = {
  returned: 'Payment marked as refunded.',
  refund:
    'Refund requested. The payment stays on this list until M-Pesa confirms the refund or you mark the payment as refunded.',
  registered: 'The shop is registering with M-Pesa. Reload this page to see the result.',
}

const RETRIED_CALL = { isRefund: false, isRetried: true }

type PageNotice = { notice?: string; isError?: boolean; entered?: { receipt: string; number: string } }

export function incomingPaymentRoutes(ctx: OfficeContext) {
  async function show(c: Context<OfficeEnv>, { entered, ...notice }: PageNotice = {}) {
    const { payments, sources } = await listUnassignedPayments(c.var.ownerContext())
    return renderOfficePage(
      c,
      {
        title: 'Payments to assign',
        section: 'more',
        ...notice,
        children: (
          <>
            <h1>Payments to assign</h1>
            {payments.length === 0 ? (
              <p className="empty">
                No payments to assign. Payments to your till or paybill that we can’t match to an order will
                appear here.
              </p>
            ) : (
              <p>
                Customers paid these amounts directly to your till or paybill. Assign each payment to an
                order, refund it here, or refund it yourself and mark it as refunded. If a payment is too
                small for its order, assign it anyway: the customer can pay the rest.
              </p>
            )}
            <ul className="rows">
              {payments.map((payment) => (
                <IncomingPayment
                  key={`${payment.provider} ${payment.receipt}`}
                  payment={payment}
                  entered={entered?.receipt === payment.receipt ? entered.number : ''}
                />
              ))}
            </ul>
            <SourceRegistration source={sources.find(({ provider }) => provider === 'mpesa')} />
          </>
        ),
      },
      notice.isError ? 409 : 200,
    )
  }

  return new Hono<OfficeEnv>()
    .get('/incoming', (c) => {
      const notice = findSuccessMessage(SUCCESS_MESSAGES, c.req.query('done'))
      return show(c, notice ? { notice } : {})
    })
    .get('/incoming/assign', async (c) => {
      const owner = c.var.ownerContext()
      const { number = '', ...key } = c.req.query()
      const query = incomingPaymentFormSchema.safeParse(key)
      const payment = query.success && (await readUnassignedPayment(query.data, owner))
      if (!payment) return renderErrorPage(c, 404, 'There’s no payment to assign.')
      const order = await readOrderDetails(number.trim(), owner)
      if (!order)
        return show(c, {
          notice: `We can’t find order ${number.trim()}. Check the number.`,
          isError: true,
          entered: { receipt: payment.receipt, number },
        })
      const planned = planAssignment(order, payment)
      if (!planned.ok)
        return show(c, {
          notice: planned.error.message,
          isError: true,
          entered: { receipt: payment.receipt, number: order.row.number },
        })
      const amount = formatMoney(payment.amountCents)
      return renderOfficePage(c, {
        title: `Assign ${payment.receipt}`,
        section: 'more',
        children: (
          <Confirmation
            heading={`Assign ${amount} to ${order.row.number}?`}
            sentence={`${describeAssignment(payment, order, planned.data)} This can’t be undone.`}
            action="/incoming/assign"
            fields={{ provider: payment.provider, receipt: payment.receipt, number: order.row.number }}
            button="Assign payment"
            back="/incoming"
          />
        ),
      })
    })
    .post('/incoming/assign', async (c) => {
      const form = await readForm(c, assignFormSchema)
      if (form instanceof Response) return form
      const assigned = await assignIncomingPayment({ ...form, actor: c.var.identity }, ctx)
      if (!assigned.ok) return show(c, { notice: assigned.error.message, isError: true, entered: form })
      await startHousekeeping(c, ctx)
      const { number, leftCents } = assigned.data
      const done = leftCents > 0 ? 'part' : `paid&receipt=${encodeURIComponent(form.receipt)}`
      return c.redirect(`${getOrderPath(number)}?done=${done}`, 303)
    })
    .get('/incoming/return', async (c) => {
      const owner = c.var.ownerContext()
      const query = incomingPaymentFormSchema.safeParse(c.req.query())
      const payment = query.success && (await readUnassignedPayment(query.data, owner))
      if (!payment) return renderErrorPage(c, 404, 'There’s no payment to mark as refunded.')
      const { provider, receipt, payer, refundState } = payment
      const amount = formatMoney(payment.amountCents)
      const condition =
        refundState === 'requested'
          ? describeRequestedRefund(amount)
          : `Do this only once you’ve sent ${amount} (receipt ${receipt}) back to ${payer ?? 'the customer who paid it'} yourself.`
      return renderOfficePage(c, {
        title: `Refund ${receipt}`,
        section: 'more',
        children: (
          <Confirmation
            heading={`Mark ${amount} as refunded?`}
            sentence={`${condition} The payment then leaves this list. This can’t be undone.`}
            action="/incoming/return"
            fields={{ provider, receipt }}
            button="Mark as refunded"
            back="/incoming"
          />
        ),
      })
    })
    .post('/incoming/return', async (c) => {
      const form = await readForm(c, incomingPaymentFormSchema)
      if (form instanceof Response) return form
      const returned = await markIncomingPaymentReturned({ ...form, actor: c.var.identity }, ctx)
      if (!returned.ok) return show(c, { notice: returned.error.message, isError: true })
      return c.redirect('/incoming?done=returned', 303)
    })
    .get('/incoming/refund', async (c) => {
      const owner = c.var.ownerContext()
      const query = incomingPaymentFormSchema.safeParse(c.req.query())
      const payment = query.success && (await readUnassignedPayment(query.data, owner))
      if (!payment || payment.verifiedAtMs === null)
        return renderErrorPage(c, 404, 'There’s no payment to refund.')
      const { provider, receipt, payer } = payment
      const amount = formatMoney(payment.amountCents)
      const { name } = getProviderDescriptor(provider)
      return renderOfficePage(c, {
        title: `Refund ${receipt}`,
        section: 'more',
        children: (
          <Confirmation
            heading={`Refund ${amount}?`}
            sentence={`We’ll refund ${amount} (${name}, receipt ${receipt}) to ${payer ?? 'the customer who paid it'}. This can’t be undone.`}
            action="/incoming/refund"
            fields={{ provider, receipt }}
            button={`Refund ${amount}`}
            back="/incoming"
          />
        ),
      })
    })
    .post('/incoming/refund', async (c) => {
      const form = await readForm(c, incomingPaymentFormSchema)
      if (form instanceof Response) return form
      const started = await refundIncomingPayment({ ...form, actor: c.var.identity }, ctx)
      if (!started.ok) return show(c, { notice: started.error.message, isError: true })
      await startHousekeeping(c, ctx)
      return c.redirect('/incoming?done=refund', 303)
    })
    .post('/incoming/register', async (c) => {
      await requestConfirmationUrlRegistration(c.var.identity, ctx)
      await startHousekeeping(c, ctx)
      return c.redirect('/incoming?done=registered', 303)
    })
}

function describeAssignment(
  { amountCents }: Pick<UnassignedPayment, 'amountCents'>,
  order: OrderDetails,
  { recorded, dueCents, leftCents }: Assignment,
): string {
  const name = formatFullName(order.row) || 'a deleted account'
  if (recorded)
    return `This order, which is for ${name}, already has a payment of ${formatMoney(amountCents)} without a receipt. This receipt will be added to it.`
  const difference =
    leftCents > 0
      ? ` The customer still has to pay ${formatMoney(leftCents)}.`
      : dueCents < amountCents
        ? ` The remaining ${formatMoney(amountCents - dueCents)} will have to be refunded.`
        : ''
  return `${formatMoney(dueCents)} is due on this order, which is for ${name}.${difference}`
}

function IncomingPayment({ payment, entered }: { payment: UnassignedPayment; entered: string }) {
  const { provider, receipt, amountCents, paidAtMs, account, payer, verifiedAtMs, suggestions, refund } =
    payment
  const isVerified = verifiedAtMs !== null
  const key = (
    <>
      <input type="hidden" name="provider" value={provider} />
      <input type="hidden" name="receipt" value={receipt} />
    </>
  )
  const field = `number-${receipt}`
  return (
    <li>
      <strong>{formatMoney(amountCents)}</strong>{' '}
      <span>
        {getProviderDescriptor(provider).name}, receipt {receipt}
      </span>
      {isVerified ? null : <span className="mark mark--due">Not confirmed yet</span>}
      {refund ? <span className="mark mark--due">{REFUND_STATE_LABELS[refund.state]}</span> : null}
      <span className="note">
        <DateTime atMs={paidAtMs} />
        {payer ? `, from ${payer}` : ''}
        {account ? `, account “${account}”` : ''}
        {refund?.error
          ? `. ${describePaymentError(refund.error, { isRefund: true, isRetried: refund.state === 'due' })}`
          : ''}
      </span>
      {refund ? null : isVerified ? (
        <>
          {suggestions.length > 0 ? (
            <div className="actions actions--small">
              {suggestions.map(({ number, dueCents, ...customer }) => (
                <form key={number} method="post" action="/incoming/assign">
                  {key}
                  <input type="hidden" name="number" value={number} />
                  <button className="button" type="submit">
                    Assign to {number}, {formatFullName(customer)},{' '}
                    {dueCents > amountCents ? `part of ${formatMoney(dueCents)}` : formatMoney(dueCents)}
                  </button>
                </form>
              ))}
            </div>
          ) : null}
          <form className="inline" action="/incoming/assign">
            {key}
            <div className="field">
              <label htmlFor={field}>
                Order number<span className="visually-hidden"> for payment {receipt}</span>
              </label>
              <input
                id={field}
                name="number"
                defaultValue={entered}
                autoCapitalize="characters"
                autoComplete="off"
                maxLength={20}
                required
              />
            </div>
            <button className="button button--quiet" type="submit">
              Assign payment<span className="visually-hidden"> {receipt}</span>
            </button>
          </form>
        </>
      ) : (
        <p className="note">
          You can assign this payment once it appears in M-Pesa’s transaction list or in a statement you
          upload.
        </p>
      )}
      <div className="actions actions--small">
        {isVerified && (refund === undefined || refund.state === 'by_hand') ? (
          <a
            className="button button--quiet"
            href={`/incoming/refund?${new URLSearchParams({ provider, receipt })}`}
          >
            {refund ? 'Retry refund' : `Refund ${formatMoney(amountCents)}`}
            <span className="visually-hidden">: {receipt}</span>
          </a>
        ) : null}
        <a
          className="button button--quiet"
          href={`/incoming/return?${new URLSearchParams({ provider, receipt })}`}
        >
          Mark as refunded<span className="visually-hidden">: {receipt}</span>
        </a>
      </div>
    </li>
  )
}

type PaymentSource = Awaited<ReturnType<typeof listUnassignedPayments>>['sources'][number]

function SourceRegistration({ source }: { source: PaymentSource | undefined }) {
  const {
    registeredAtMs = null,
    registrationError = null,
    pulledToMs = null,
    pullError = null,
  } = source ?? {}
  return (
    <section className="panel">
      <h2>M-Pesa connection</h2>
      <p>
        {registeredAtMs === null ? (
          'M-Pesa isn’t notifying the shop of payments to your till or paybill yet.'
        ) : (
          <>
            M-Pesa has been notifying the shop of payments to your till or paybill since{' '}
            <DateTime atMs={registeredAtMs} isInline />.
          </>
        )}{' '}
        {pulledToMs === null ? (
          'The shop hasn’t checked M-Pesa’s transaction list yet.'
        ) : (
          <>
            The shop last checked M-Pesa’s transaction list <DateTime atMs={pulledToMs} isInline />.
          </>
        )}
      </p>
      {registrationError ? (
        <p className="note">Registration failed. {describePaymentError(registrationError, RETRIED_CALL)}</p>
      ) : null}
      {pullError ? (
        <p className="note">The last check failed. {describePaymentError(pullError, RETRIED_CALL)}</p>
      ) : null}
      <form method="post" action="/incoming/register">
        <button className="button button--quiet" type="submit">
          Register with M-Pesa
        </button>
      </form>
    </section>
  )
}
