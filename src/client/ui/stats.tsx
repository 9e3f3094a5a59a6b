type StatsProps = { stats: readonly { value: string; label: string }[] }

/** OrderTotals beside each other, each with what it counts. */
export function Stats({ stats }: StatsProps) {
  return (
    <ul className="stats">
      {stats.map(({ value, label }) => (
        <li key={label}>
          <strong>{value}</strong>
          {` ${label}`}
        </li>
      ))}
    </ul>
  )
}
