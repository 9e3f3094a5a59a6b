import { type Context, Hono } from 'hono'
import type { OfficeEnv } from '#office/context.ts'
import { OrderRow } from '#office/orders/board-page.tsx'
import { ContactLinks } from '#office/orders/order-customer.tsx'
import { DateTime, Day } from '#office/platform/date-time.tsx'
import { findSuccessMessage } from '#office/platform/form.ts'
import { InternalNotes } from '#office/platform/internal-notes.tsx'
import { renderErrorPage, renderOfficePage } from '#office/platform/layout.tsx'
import { CUSTOMERS_PATH, getCustomerPath, getOrderReturnsPath } from '#office/platform/sections.ts'
import { type CustomerDetails, readCustomer } from '#server/customers/read-customer.ts'
import { formatMoney } from '#shared/format.ts'
import { getAccountEmail } from '#shared/orders/office-order.ts'
import { RETURN_KIND_LABELS, RETURN_REASON_LABELS, RETURN_STATE_LABELS } from '#shared/orders/returns.ts'
import { shop } from '#shared/shop.ts'
import { formatPhone } from './customers-page.tsx'

const SUCCESS_MESSAGES: Record<string, string> = {
  noted: 'Note added.',
  blocked: 'Customer blocked. They can’t place new orders.',
  unblocked: 'Customer unblocked. They can order again.',
}

export function customerRoutes() {
  return new Hono<OfficeEnv>().get(`${CUSTOMERS_PATH}/:id`, async (c) => {
    const customer = await readCustomer(c.req.param('id'), c.var.ownerContext())
    if (!customer) return renderErrorPage(c, 404, 'We can’t find this customer.')
    const notice = findSuccessMessage(SUCCESS_MESSAGES, c.req.query('done'))
    return renderCustomerPage(c, customer, notice ? { notice } : {})
  })
}

export type EnteredCustomerFields = { note?: string; reason?: string }

export function renderCustomerPage(
  c: Context<OfficeEnv>,
  customer: CustomerDetails,
  notice: { notice?: string; isError?: boolean },
  entered: EnteredCustomerFields = {},
) {
  const { name, email } = customer.user
  return renderOfficePage(
    c,
    {
      title: name || email,
      section: 'more',
      ...notice,
      children: <CustomerView customer={customer} entered={entered} nowMs={c.var.nowMs} />,
    },
    notice.isError ? 409 : 200,
  )
}

type CustomerViewProps = { customer: CustomerDetails; entered: EnteredCustomerFields; nowMs: number }

function CustomerView({ customer, entered, nowMs }: CustomerViewProps) {
  const { user, block, orders, totals, addresses } = customer
  const { id, name, email, phone, createdAtMs } = user
  const contacts = [getAccountEmail(email), formatPhone(phone)].filter(Boolean).join(', ')
  return (
    <>
      <header className="order-head">
        <h1>{name || email}</h1>
        {block ? <span className="mark mark--due">Blocked</span> : null}
        <p>
          {contacts ? `${contacts}. ` : ''}Customer since <Day atMs={createdAtMs} />.
        </p>
        <div className="actions actions--pairs">
          <ContactLinks
            phone={phone}
            email={getAccountEmail(email) || null}
            greeting={`Hello ${name}, this is ${shop.name}. `}
            subject={`Your ${shop.name} orders`}
          />
        </div>
      </header>
      <section className="panel">
        <h2>Orders</h2>
        <dl className="facts">
          <div>
            <dt>Paid orders</dt>
            <dd>{totals.orders}</dd>
          </div>
          <div>
            <dt>Total spent, after refunds</dt>
            <dd>
              <strong>{formatMoney(totals.netCents)}</strong>
            </dd>
          </div>
        </dl>
        {orders.length === 0 ? <p>No orders yet.</p> : null}
        <ol className="orders">
          {orders.map((order) => (
            <OrderRow key={order.id} order={order} nowMs={nowMs} stage={undefined} isPacker={false} />
          ))}
        </ol>
      </section>
      <div className="columns">
        <InternalNotes
          notes={customer.notes}
          action={`${getCustomerPath(customer.user.id)}/notes`}
          entered={entered.note}
        />
        {addresses.length === 0 ? null : (
          <section className="panel">
            <h2>Addresses</h2>
            <ul className="history">
              {addresses.map((address) => (
                <li key={address}>{address}</li>
              ))}
            </ul>
          </section>
        )}
        <CustomerReturns customer={customer} />
        <CustomerMessages customer={customer} />
        <BlockPanel customer={customer} entered={entered.reason} />
        <section className="panel">
          <h2>Delete customer</h2>
          <p>
            If this customer asks you to, delete their personal data. Their paid orders stay in your books,
            without personal data.
          </p>
          <a className="button button--quiet" href={`${getCustomerPath(id)}/erase`}>
            Delete customer
          </a>
        </section>
      </div>
    </>
  )
}

function CustomerReturns({ customer: { returns } }: { customer: CustomerDetails }) {
  if (returns.length === 0) return null
  return (
    <section className="panel">
      <h2>Returns and exchanges</h2>
      <ul className="history">
        {returns.map(({ id, number, kind, state, reason, createdAtMs }) => (
          <li key={id}>
            <a href={getOrderReturnsPath(number)}>{number}</a>: {RETURN_KIND_LABELS[kind].toLowerCase()},{' '}
            {RETURN_STATE_LABELS[state].toLowerCase()}
            <span className="note">
              {RETURN_REASON_LABELS[reason]}, <DateTime atMs={createdAtMs} isInline />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function CustomerMessages({ customer: { messages } }: { customer: CustomerDetails }) {
  if (messages.length === 0) return null
  return (
    <section className="panel">
      <h2>Messages</h2>
      {messages.map(({ id, message, createdAtMs, answeredAtMs }) => (
        <blockquote key={id}>
          <p>{message}</p>
          <footer className="note">
            <DateTime atMs={createdAtMs} />
            {answeredAtMs === null ? ', not answered yet' : ''}
          </footer>
        </blockquote>
      ))}
    </section>
  )
}

type BlockPanelProps = { customer: CustomerDetails; entered: string | undefined }

function BlockPanel({ customer: { user, block }, entered }: BlockPanelProps) {
  const path = getCustomerPath(user.id)
  return (
    <section className="panel">
      <h2>Block customer</h2>
      {block ? (
        <form className="inline" method="post" action={`${path}/unblock`}>
          <p>
            Blocked by {block.actor} <DateTime atMs={block.atMs} isInline />. New orders from this account,
            email or phone number are refused. The customer isn’t told that they’re blocked.
          </p>
          {block.reason ? <p>Reason: “{block.reason}”</p> : null}
          <button className="button button--quiet" type="submit">
            Unblock customer
          </button>
        </form>
      ) : (
        <form className="inline" method="post" action={`${path}/block`}>
          <p>
            New orders from this account, email or phone number will be refused. The customer isn’t told that
            they’re blocked. Orders already placed aren’t affected.
          </p>
          <div className="field">
            <label htmlFor="reason">Reason (optional, not shown to customers)</label>
            <input id="reason" name="reason" maxLength={1000} defaultValue={entered} autoComplete="off" />
          </div>
          <button className="button button--quiet" type="submit">
            Block customer
          </button>
        </form>
      )}
    </section>
  )
}
