/** While checkout finds out what it has to show. */
export function Waiting({ words }: { words: string }) {
  return (
    <div className="panel stack only-hydrating" role="status">
      <p>{words}</p>
      <span className="line" aria-hidden="true" />
      <span className="line line--short" aria-hidden="true" />
    </div>
  )
}
