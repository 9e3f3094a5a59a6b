type StatsProps = { stats: readonly { value: string; label: string }[] }

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
