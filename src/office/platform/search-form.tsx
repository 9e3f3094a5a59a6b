type SearchFieldProps = { label: string; placeholder: string; query: string }

export function SearchForm({ action, ...field }: SearchFieldProps & { action: string }) {
  return (
    <search>
      <form className="search" action={action}>
        <SearchField {...field} />
      </form>
    </search>
  )
}

export function SearchField({ label, placeholder, query }: SearchFieldProps) {
  return (
    <>
      <label className="visually-hidden" htmlFor="q">
        {label}
      </label>
      <input
        id="q"
        name="q"
        type="search"
        defaultValue={query}
        placeholder={placeholder}
        autoComplete="off"
        maxLength={80}
      />
      <button className="button" type="submit">
        Search
      </button>
    </>
  )
}
