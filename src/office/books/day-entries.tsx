import { Moment } from '#office/platform/moment.tsx'
import { orderPath } from '#office/platform/sections.ts'
import type { DayEntry, EntryState, Reconciliation } from '#server/books/reconcile.ts'
import type { StatementProvider } from '#server/books/statement.ts'
import { formatMoney } from '#shared/format.ts'

const STATES: Record<EntryState, { label: string; isOpen: boolean }> = {
  matched: { label: 'Matched', isOpen: false },
  returned: { label: 'Returned', isOpen: false },
  suggested: { label: 'Suggested', isOpen: true },
  unknown: { label: 'No order', isOpen: true },
  unconfirmed: { label: 'Not on the statement', isOpen: true },
  differs: { label: 'Amounts differ', isOpen: true },
}

const CHANGES = { added: 'Added since the day was closed', changed: 'Changed since the day was closed' }

type SummaryProps = { reconciliation: Reconciliation; provider: string }

export function DaySummary({ reconciliation, provider }: SummaryProps) {
  const { entries, shopCents, providerCents, closed, removed } = reconciliation
  const open = entries.filter(({ state }) => STATES[state].isOpen).length
  const changes = entries.filter(({ change }) => change !== null).length + removed.length
  return (
    <>
      <dl className="facts">
        <div>
          <dt>In the shop</dt>
          <dd>{formatMoney(shopCents)}</dd>
        </div>
        <div>
          <dt>{provider}</dt>
          <dd>{formatMoney(providerCents)}</dd>
        </div>
        <div>
          <dt>Difference</dt>
          <dd>
            <strong>{formatMoney(providerCents - shopCents)}</strong>
          </dd>
        </div>
      </dl>
      <p>
        {entries.length > 0
          ? `${entries.length} ${entries.length === 1 ? 'payment' : 'payments'}, ${open === 0 ? 'all matched' : `${open} open`}. `
          : null}
        {closed ? (
          <>
            Closed <Moment atMs={closed.atMs} isInline /> by {closed.actor}.{' '}
            {changes === 0 ? 'Nothing has changed since.' : <strong>{`${changes} changed since.`}</strong>}
          </>
        ) : null}
      </p>
      {removed.length > 0 ? (
        <p className="note">No longer counted on this day: {removed.join(', ')}.</p>
      ) : null}
    </>
  )
}

type EntriesProps = { reconciliation: Reconciliation; provider: StatementProvider }

export function DayEntries({ reconciliation: { entries }, provider }: EntriesProps) {
  if (entries.length === 0) return <p className="empty">No payments on this day.</p>
  const openFirst = entries.toSorted(
    (a, b) => Number(STATES[b.state].isOpen) - Number(STATES[a.state].isOpen),
  )
  return (
    <ul className="rows">
      {openFirst.map((entry) => (
        <Entry key={entry.key} entry={entry} provider={provider} />
      ))}
    </ul>
  )
}

function Entry({ entry, provider }: { entry: DayEntry; provider: StatementProvider }) {
  const { atMs, receipt, number, shopCents, providerCents, state, suggestions, change } = entry
  const { label, isOpen } = STATES[state]
  return (
    <li>
      <strong>{formatMoney(providerCents ?? shopCents ?? 0)}</strong>{' '}
      {number ? <a href={orderPath(number)}>{number}</a> : null}
      {receipt ? ` Receipt ${receipt}` : null}
      <span className={isOpen ? 'mark mark--due' : 'mark'}>{label}</span>
      {change ? <span className="mark mark--due">{CHANGES[change]}</span> : null}
      <span className="note">
        <Moment atMs={atMs} />
        {state === 'differs' ? `, ${formatMoney(shopCents ?? 0)} in the shop` : ''}
      </span>
      {receipt && suggestions.length > 0 ? (
        <div className="actions actions--small">
          {suggestions.map((suggestion) => (
            <form key={suggestion.number} method="post" action="/incoming/assign">
              <input type="hidden" name="provider" value={provider} />
              <input type="hidden" name="receipt" value={receipt} />
              <input type="hidden" name="number" value={suggestion.number} />
              <button className="button" type="submit">
                Assign to {suggestion.number}, {suggestion.firstName} {suggestion.lastName}
              </button>
            </form>
          ))}
        </div>
      ) : null}
    </li>
  )
}
