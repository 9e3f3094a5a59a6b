import { DateTime } from '#office/platform/date-time.tsx'
import { getOrderPath } from '#office/platform/sections.ts'
import type { DayEntry, EntryState, Reconciliation } from '#server/books/reconcile.ts'
import type { StatementProvider } from '#server/books/statement.ts'
import { formatFullName } from '#shared/accounts/account-forms.ts'
import { formatMoney } from '#shared/format.ts'

const ENTRY_STATES: Record<EntryState, { label: string; isOpen: boolean }> = {
  matched: { label: 'Matched', isOpen: false },
  returned: { label: 'Refunded', isOpen: false },
  fee: { label: 'Fee', isOpen: false },
  dismissed: { label: 'Not a refund', isOpen: false },
  unchecked: { label: 'Not checked yet', isOpen: false },
  suggested: { label: 'Suggested', isOpen: true },
  unknown: { label: 'No order', isOpen: true },
  unconfirmed: { label: 'Not on the statement', isOpen: true },
  differs: { label: 'Amounts differ', isOpen: true },
}

const MAX_ENTRIES = 200

const CHANGE_LABELS = { added: 'Added since the day was closed', changed: 'Changed since the day was closed' }

type DaySummaryProps = { reconciliation: Reconciliation; provider: string }

export function DaySummary({ reconciliation, provider }: DaySummaryProps) {
  const { entries, received, outgoing, otherCents, isCovered, closed, removed } = reconciliation
  const openCount = entries.filter(({ state }) => ENTRY_STATES[state].isOpen).length
  const changes = entries.filter(({ change }) => change !== null).length + removed.length
  const count = `${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}`
  return (
    <>
      <DayTotals title="Received" sums={received} provider={provider} isCovered={isCovered} />
      {entries.some(({ direction }) => direction === 'out') ? (
        <DayTotals title="Refunded to customers" sums={outgoing} provider={provider} isCovered={isCovered} />
      ) : null}
      {otherCents > 0 ? <p className="note">Fees and other withdrawals: {formatMoney(otherCents)}.</p> : null}
      <p>
        {entries.length === 0
          ? null
          : isCovered
            ? `${count}, ${openCount === 0 ? 'none open' : `${openCount} open`}. `
            : null}
        {entries.length > 0 && !isCovered
          ? `${count}, not checked yet. Upload ${provider}’s statement to check ${entries.length === 1 ? 'it' : 'them'}. `
          : null}
        {closed ? (
          <>
            Closed <DateTime atMs={closed.atMs} isInline /> by {closed.actor}.{' '}
            {changes === 0 ? (
              'Nothing has changed since.'
            ) : (
              <strong>{`${changes} ${changes === 1 ? 'entry has' : 'entries have'} changed since.`}</strong>
            )}
          </>
        ) : null}
      </p>
      {removed.length > 0 ? (
        <p className="note">No longer counted on this day: {removed.join(', ')}.</p>
      ) : null}
    </>
  )
}

type DayTotalsProps = {
  title: string
  sums: Reconciliation['received']
  provider: string
  isCovered: boolean
}

function DayTotals({ title, sums: { shopCents, providerCents }, provider, isCovered }: DayTotalsProps) {
  return (
    <>
      <h3>{title}</h3>
      <dl className="facts">
        <div>
          <dt>In our records</dt>
          <dd>{formatMoney(shopCents)}</dd>
        </div>
        {isCovered ? (
          <>
            <div>
              <dt>On {provider}’s statement</dt>
              <dd>{formatMoney(providerCents)}</dd>
            </div>
            <div>
              <dt>Difference</dt>
              <dd>
                <strong>{formatMoney(providerCents - shopCents)}</strong>
              </dd>
            </div>
          </>
        ) : null}
      </dl>
    </>
  )
}

type DayEntriesProps = { reconciliation: Reconciliation; provider: StatementProvider; day: string }

export function DayEntries({ reconciliation: { entries }, provider, day }: DayEntriesProps) {
  if (entries.length === 0) return <p className="empty">No payments or refunds on this day.</p>
  const openFirst = entries.toSorted(
    (a, b) => Number(ENTRY_STATES[b.state].isOpen) - Number(ENTRY_STATES[a.state].isOpen),
  )
  const hiddenCount = openFirst.length - MAX_ENTRIES
  return (
    <>
      <ul className="rows">
        {openFirst.slice(0, MAX_ENTRIES).map((entry) => (
          <Entry key={entry.key} entry={entry} provider={provider} day={day} />
        ))}
      </ul>
      {hiddenCount > 0 ? (
        <p className="note">
          {hiddenCount === 1 ? '1 entry isn’t' : `${hiddenCount} entries aren’t`} shown. Open entries come
          first.
        </p>
      ) : null}
    </>
  )
}

type EntryProps = { entry: DayEntry; provider: StatementProvider; day: string }

function Entry({ entry, provider, day }: EntryProps) {
  const { atMs, receipt, number, shopCents, providerCents, state, change, direction } = entry
  const { isOpen } = ENTRY_STATES[state]
  const isOutgoing = direction === 'out'
  const label = isOutgoing && state === 'unknown' ? 'No refund' : ENTRY_STATES[state].label
  return (
    <li>
      <strong>
        {isOutgoing ? '−' : ''}
        {formatMoney(providerCents ?? shopCents ?? 0)}
      </strong>{' '}
      {number ? <a href={getOrderPath(number)}>{number}</a> : null}{' '}
      {receipt ? <span>Receipt {receipt}</span> : null}
      <span className={isOpen ? 'mark mark--due' : 'mark'}>{label}</span>
      {change ? <span className="mark mark--due">{CHANGE_LABELS[change]}</span> : null}
      <span className="note">
        <DateTime atMs={atMs} />
        {state === 'differs' ? `, ${formatMoney(shopCents ?? 0)} in our records` : ''}
        {isOutgoing && entry.details ? `, ${entry.details}` : ''}
      </span>
      {isOutgoing ? (
        <WithdrawalForms entry={entry} provider={provider} day={day} />
      ) : (
        <SuggestedOrders entry={entry} provider={provider} />
      )}
    </li>
  )
}

type SuggestedOrdersProps = { entry: Extract<DayEntry, { direction: 'in' }>; provider: StatementProvider }

function SuggestedOrders({ entry: { receipt, suggestions, state }, provider }: SuggestedOrdersProps) {
  if (!receipt || (state !== 'suggested' && state !== 'unknown')) return null
  return (
    <div className="actions actions--small">
      {suggestions.map((suggestion) => (
        <form key={suggestion.number} method="post" action="/incoming/assign">
          <input type="hidden" name="provider" value={provider} />
          <input type="hidden" name="receipt" value={receipt} />
          <input type="hidden" name="number" value={suggestion.number} />
          <button className="button" type="submit">
            Assign to {suggestion.number}, {formatFullName(suggestion)}
          </button>
        </form>
      ))}
      {state === 'unknown' ? (
        <a className="button button--quiet" href="/incoming">
          Assign or refund<span className="visually-hidden">: {receipt}</span>
        </a>
      ) : null}
    </div>
  )
}

type WithdrawalFormsProps = {
  entry: Extract<DayEntry, { direction: 'out' }>
  provider: StatementProvider
  day: string
}

export function canChangeWithdrawal({ direction, state }: DayEntry): boolean {
  return direction === 'out' && (state === 'suggested' || state === 'unknown')
}

function WithdrawalForms({ entry, provider, day }: WithdrawalFormsProps) {
  const { receipt, providerCents, suggestions } = entry
  if (!canChangeWithdrawal(entry)) return null
  const amountCents = String(providerCents ?? 0)
  const dismissed = { provider, day, receipt: receipt ?? '', amountCents }
  const fields = (
    <>
      <input type="hidden" name="provider" value={provider} />
      <input type="hidden" name="day" value={day} />
      <input type="hidden" name="receipt" value={receipt ?? ''} />
      <input type="hidden" name="amountCents" value={amountCents} />
    </>
  )
  return (
    <div className="actions actions--small">
      {suggestions.map(({ key, number, receipt: paid }, index) => (
        <form key={key} method="post" action="/reconciliation/withdrawal">
          {fields}
          <input type="hidden" name="target" value={key} />
          <button className="button" type="submit">
            {number
              ? `Match to ${entry.number && index > 0 ? 'another refund' : 'refund'} for ${number}`
              : `Match to refunded payment ${paid}`}
          </button>
        </form>
      ))}
      <a className="button button--quiet" href={`/reconciliation/dismiss?${new URLSearchParams(dismissed)}`}>
        Mark as not a refund<span className="visually-hidden">: {receipt}</span>
      </a>
    </div>
  )
}
