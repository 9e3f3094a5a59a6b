/** Closes the `<details>` that it's in, which confirms a cancellation. */
export function KeepButton({ label }: { label: string }) {
  return (
    <button
      type="button"
      className="button button--quiet"
      onClick={({ currentTarget }) => {
        const details = currentTarget.closest('details')
        details?.removeAttribute('open')
        details?.querySelector('summary')?.focus()
      }}
    >
      {label}
    </button>
  )
}
