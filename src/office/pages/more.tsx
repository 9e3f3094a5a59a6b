import { Hono } from 'hono'
import type { OfficeEnv } from '../deps.ts'
import { officePage } from '../layout.tsx'

/** What has no tab of its own. */
const PAGES = [{ path: '/audit', label: 'Audit log', about: 'who did what, and when' }]

/** `/more`: the pages that are opened less often. */
export function morePage() {
  return new Hono<OfficeEnv>().get('/more', (c) =>
    officePage(c, {
      title: 'More',
      section: 'more',
      children: (
        <>
          <h1>More</h1>
          <ul className="rows">
            {PAGES.map(({ path, label, about }) => (
              <li key={path}>
                <a className="row-link" href={path}>
                  {label}
                  <span className="note">{about}</span>
                </a>
              </li>
            ))}
          </ul>
        </>
      ),
    }),
  )
}
