import { Hono } from 'hono'
import type { OfficeEnv } from '#office/context.ts'
import { DateTime } from '#office/platform/date-time.tsx'
import { findSuccessMessage } from '#office/platform/form.ts'
import { renderOfficePage } from '#office/platform/layout.tsx'
import { SearchForm } from '#office/platform/search-form.tsx'
import { CUSTOMERS_PATH, getCustomerPath } from '#office/platform/sections.ts'
import { type ListedCustomer, listCustomers, searchCustomers } from '#server/customers/list-customers.ts'
import { getAccountEmail } from '#shared/orders/office-order.ts'
import { formatLocalPhone, normaliseMobile } from '#shared/payments/payment.ts'

const SUCCESS_MESSAGES: Record<string, string> = {
  erased: 'Customer deleted. Their paid orders stay in your books, without personal data.',
}

export function customerListRoutes() {
  return new Hono<OfficeEnv>().get(CUSTOMERS_PATH, async (c) => {
    const { q = '', before, done = '' } = c.req.query()
    const query = q.trim()
    const { customers, next } = query
      ? { customers: await searchCustomers({ text: query }, c.var.ownerContext()), next: null }
      : await listCustomers({ before }, c.var.ownerContext())
    const notice = findSuccessMessage(SUCCESS_MESSAGES, done)
    return renderOfficePage(c, {
      title: 'Customers',
      section: 'more',
      ...(notice ? { notice } : {}),
      children: <CustomerList customers={customers} query={query} next={next} />,
    })
  })
}

type CustomerListProps = { customers: readonly ListedCustomer[]; query: string; next: string | null }

function CustomerList({ customers, query, next }: CustomerListProps) {
  return (
    <>
      <h1>Customers</h1>
      <SearchForm
        action={CUSTOMERS_PATH}
        label="Name, phone or email"
        placeholder="Name, phone, email"
        query={query}
      />
      {customers.length === 0 ? (
        <p className="empty">
          {query
            ? `No customers match “${query}”. Try a name, phone number or email.`
            : 'No customers yet. They’ll appear here after their first order.'}
        </p>
      ) : null}
      <ul className="rows">
        {customers.map((customer) => (
          <CustomerRow key={customer.id} customer={customer} />
        ))}
      </ul>
      {next === null ? null : (
        <p>
          <a className="button button--quiet" href={`${CUSTOMERS_PATH}?before=${next}`}>
            Show more customers
          </a>
        </p>
      )}
    </>
  )
}

function CustomerRow({ customer }: { customer: ListedCustomer }) {
  const { id, name, email, phone, lastOrderAtMs, isBlocked } = customer
  return (
    <li>
      <a className="row-link" href={getCustomerPath(id)}>
        {name || email} {isBlocked ? <span className="mark mark--due">Blocked</span> : null}
        <span className="note">
          {[name ? getAccountEmail(email) : '', formatPhone(phone)].filter(Boolean).join(', ')}
        </span>
        <span className="note">
          {lastOrderAtMs === null ? (
            'No orders yet'
          ) : (
            <>
              Last order <DateTime atMs={lastOrderAtMs} isInline />
            </>
          )}
        </span>
      </a>
    </li>
  )
}

export function formatPhone(phone: string | null): string {
  return phone ? formatLocalPhone(normaliseMobile(phone) ?? phone) : ''
}
