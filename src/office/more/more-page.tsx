import { Hono } from 'hono'
import type { OfficeEnv } from '#office/context.ts'
import { Badge, officePage } from '#office/platform/layout.tsx'
import { CATALOGUE_PATH } from '#office/platform/sections.ts'

/** `/more`: the pages that are opened less often. */
export function morePage() {
  return new Hono<OfficeEnv>().get('/more', async (c) => {
    const { refunds, stuckMails } = await c.var.badges()
    const pages = [
      {
        path: CATALOGUE_PATH,
        label: 'Catalogue',
        about: 'edit products, prices and sizes; publish and roll back',
        count: 0,
      },
      {
        path: '/payments',
        label: 'Payments',
        about: 'open payments, refunds and daily totals',
        count: refunds,
      },
      { path: '/promotions', label: 'Promotions', about: 'promo codes and their uses', count: 0 },
      { path: '/mails', label: 'Mails', about: 'emails that couldn’t be sent, and why', count: stuckMails },
      { path: '/audit', label: 'Audit log', about: 'who did what and when', count: 0 },
    ]
    return officePage(c, {
      title: 'More',
      section: 'more',
      children: (
        <>
          <h1>More</h1>
          <ul className="rows">
            {pages.map(({ path, label, about, count }) => (
              <li key={path}>
                <a className="row-link" href={path}>
                  {label} <Badge count={count} />
                  <span className="note">{about}</span>
                </a>
              </li>
            ))}
          </ul>
        </>
      ),
    })
  })
}
