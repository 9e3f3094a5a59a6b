import { DateTime } from './date-time.tsx'

type Note = { id: string; text: string; author: string; atMs: number }

type InternalNotesProps = { notes: readonly Note[]; action: string; entered: string | undefined }

export function InternalNotes({ notes, action, entered }: InternalNotesProps) {
  return (
    <section className="panel" id="notes">
      <h2>Internal notes</h2>
      {notes.map(({ id, text, author, atMs }) => (
        <blockquote key={id}>
          <p>{text}</p>
          <footer className="note">
            {author}, <DateTime atMs={atMs} isInline />
          </footer>
        </blockquote>
      ))}
      <form className="inline" method="post" action={action}>
        <div className="field">
          <label htmlFor="internal">New note (not shown to customers)</label>
          <textarea id="internal" name="note" rows={2} maxLength={1000} defaultValue={entered} required />
        </div>
        <button className="button button--quiet" type="submit">
          Add note
        </button>
      </form>
    </section>
  )
}
