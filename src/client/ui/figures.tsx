/** A row of a sum: what it is, and its figure as text; `strong` marks the result. */
export type Figure = { label: string; value: string; strong?: boolean }

/** Figures under each other that add up to the last. */
export function Figures({ rows }: { rows: readonly Figure[] }) {
  return (
    <dl className="figures">
      {rows.map(({ label, value, strong }) => (
        <div key={label} className={strong ? 'figures__row figures__row--strong' : 'figures__row'}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
