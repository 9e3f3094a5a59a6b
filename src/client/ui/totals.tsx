/** A row of totals: its label, and the amount as text; `strong` marks the result. */
export type TotalsRow = { label: string; value: string; strong?: boolean }

/** Totals under each other that add up to the last. */
export function Totals({ rows }: { rows: readonly TotalsRow[] }) {
  return (
    <dl className="totals">
      {rows.map(({ label, value, strong }) => (
        <div key={label} className={strong ? 'totals__row totals__row--strong' : 'totals__row'}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
