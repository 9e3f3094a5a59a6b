import { useEffect, useState } from 'react'
import { type Activity, activity } from '#shared/contract/auth.ts'
import { href } from '#shared/routes.ts'
import { ACTIVITY_LABELS } from '#shared/rules/activity.ts'
import { shop } from '#shared/shop.ts'
import { callApi } from '../../api.ts'

/** What happened to the account lately, so that its owner notices what they did not do. Nothing where it cannot be read. */
export function RecentActivity() {
  const [events, setEvents] = useState<readonly Activity[]>([])
  useEffect(() => {
    let isCurrent = true
    void callApi(activity).then((result) => {
      if (isCurrent && result.ok) setEvents(result.data.events)
    })
    return () => {
      isCurrent = false
    }
  }, [])
  if (events.length === 0) return null
  return (
    <section aria-labelledby="recent-activity">
      <h2 id="recent-activity">Recent activity</h2>
      <table className="orders">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">With</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {events.map(({ kind, atMs, browser, country }) => (
            <tr key={`${kind} ${atMs}`}>
              <th scope="row">{ACTIVITY_LABELS[kind]}</th>
              <td>{[browser, country].filter(Boolean).join(', ') || '–'}</td>
              <td>
                <time dateTime={new Date(atMs).toISOString()}>{timeOf(atMs)}</time>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="orders__more">
        {'Was something not you? '}
        <a href={href('forgotPassword')}>Choose a new password</a>
      </p>
    </section>
  )
}

/** A moment in the reader's own zone: `21 Nov 2026, 09:05`. */
function timeOf(atMs: number): string {
  return new Intl.DateTimeFormat(shop.locale, { dateStyle: 'medium', timeStyle: 'short' }).format(atMs)
}
