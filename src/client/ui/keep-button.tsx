/** Closes the `<details>` that asks for a confirmation. */
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
