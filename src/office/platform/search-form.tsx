type SearchFormProps = { action: string; label: string; placeholder: string; query: string }

export function SearchForm({ action, label, placeholder, query }: SearchFormProps) {
  return (
    <search>
      <form className="search" action={action}>
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
      </form>
    </search>
  )
}
