import { Hono } from 'hono'
import type { OfficeEnv } from '#office/context.ts'
import { DateTime } from '#office/platform/date-time.tsx'
import { renderOfficePage } from '#office/platform/layout.tsx'
import { getOrderReturnsPath, RETURNS_PATH } from '#office/platform/sections.ts'
import { listOpenReturns } from '#server/orders/order-returns.ts'
import { RETURN_KIND_LABELS, RETURN_REASON_LABELS, RETURN_STATE_LABELS } from '#shared/orders/returns.ts'

export function openReturnsRoutes() {
  return new Hono<OfficeEnv>().get(RETURNS_PATH, async (c) => {
    const returns = await listOpenReturns(c.var.ownerContext())
    return renderOfficePage(c, {
      title: 'Returns',
      section: 'more',
      children: (
        <>
          <h1>Returns</h1>
          {returns.length === 0 ? (
            <p className="empty">
              No open returns. Customers’ requests will appear here. To create one yourself, open the order.
            </p>
          ) : null}
          <ul className="rows">
            {returns.map(({ id, kind, state, reason, createdAtMs, number, firstName, lastName }) => (
              <li key={id}>
                <a className="row-link" href={getOrderReturnsPath(number)}>
                  {RETURN_KIND_LABELS[kind]}, {number}, {firstName} {lastName}{' '}
                  <span className={state === 'requested' ? 'mark mark--due' : 'mark'}>
                    {RETURN_STATE_LABELS[state]}
                  </span>
                  <span className="note">
                    {RETURN_REASON_LABELS[reason]}, <DateTime atMs={createdAtMs} isInline />
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </>
      ),
    })
  })
}
