type StatsProps = { stats: readonly { value: string; label: string }[] }

/** Numbers side by side, each with what it counts. */
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
