import { Hono } from 'hono'
import type { OfficeEnv } from '#office/context.ts'
import { Badge, renderOfficePage } from '#office/platform/layout.tsx'
import { mayUse } from '#office/platform/permissions.ts'
import {
  CATALOGUE_PATH,
  CONTENT_PATH,
  CUSTOMERS_PATH,
  RETURNS_PATH,
  SHARE_PATH,
} from '#office/platform/sections.ts'
import { countOpenTasks, type OpenTaskCounts } from '#server/reports/open-tasks.ts'

type Page = {
  path: string
  label: string
  description: string
  /** What the link's badge counts. */
  task?: keyof OpenTaskCounts
}

const PAGES: readonly Page[] = [
  {
    path: CATALOGUE_PATH,
    label: 'Catalogue',
    description: 'Edit products, prices and sizes. Publish changes or roll back.',
  },
  {
    path: CONTENT_PATH,
    label: 'Content',
    description: 'Edit page text, the banner, contact details and search words.',
  },
  {
    path: SHARE_PATH,
    label: 'Share products',
    description: 'Create a link that fills a customer’s cart, and send it.',
  },
  {
    path: RETURNS_PATH,
    label: 'Returns',
    description: 'Approve and complete returns and exchanges.',
    task: 'returnRequests',
  },
  {
    path: CUSTOMERS_PATH,
    label: 'Customers',
    description: 'See orders, messages and notes. Block or delete a customer.',
  },
  {
    path: '/payments',
    label: 'Payments',
    description: 'See outstanding payments, refunds and daily totals.',
    task: 'refundsNeedingAttention',
  },
  {
    path: '/incoming',
    label: 'Payments to assign',
    description: 'Assign payments made directly to your till or paybill.',
    task: 'unassignedPayments',
  },
  {
    path: '/reconciliation',
    label: 'Reconciliation',
    description: 'Compare each day’s payments with M-Pesa’s and Paystack’s statements.',
  },
  {
    path: '/exports',
    label: 'Exports',
    description: 'Download orders, payments and VAT for your accountant.',
  },
  {
    path: '/invoice-details',
    label: 'Invoice details',
    description: 'Edit the business name, KRA PIN and address on invoices.',
  },
  {
    path: '/promotions',
    label: 'Promo codes',
    description: 'Create promo codes and see how often they’re used.',
  },
  {
    path: '/emails',
    label: 'Stuck emails',
    description: 'See which emails couldn’t be sent, and why.',
    task: 'stuckEmails',
  },
  {
    path: '/alerts',
    label: 'Alerts',
    description: 'Choose your push and email alerts and add devices.',
  },
  {
    path: '/team',
    label: 'Team',
    description: 'Add people to the office and choose what they can do.',
  },
  { path: '/audit', label: 'Audit log', description: 'See who did what, and when.' },
]

export function moreRoutes() {
  return new Hono<OfficeEnv>().get('/more', async (c) => {
    const { role } = c.var.identity
    const openTasks = role === 'owner' ? await countOpenTasks(c.var.ownerContext()) : undefined
    const pages = PAGES.filter(({ path }) => mayUse(role, `GET ${path}`))
    return renderOfficePage(c, {
      title: 'More',
      section: 'more',
      children: (
        <>
          <h1>More</h1>
          <ul className="rows">
            {pages.map(({ path, label, description, task }) => (
              <li key={path}>
                <a className="row-link" href={path}>
                  {label} <Badge count={task ? (openTasks?.[task] ?? 0) : 0} />
                  <span className="note">{description}</span>
                </a>
              </li>
            ))}
          </ul>
        </>
      ),
    })
  })
}
