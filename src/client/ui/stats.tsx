type StatsProps = { stats: readonly { figure: string; label: string }[] }

/** Figures beside each other, each with what it counts. */
export function Stats({ stats }: StatsProps) {
  return (
    <ul className="stats">
      {stats.map(({ figure, label }) => (
        <li key={label}>
          <strong>{figure}</strong>
          {` ${label}`}
        </li>
      ))}
    </ul>
  )
}
