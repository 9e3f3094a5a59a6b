import type { ReactNode } from 'react'

type FormCardProps = {
  heading: string
  /** What the form is for, in a sentence. */
  intro?: string
  /** The picture beside it, where there is room for one. */
  art: 'dresses' | 'romper' | 'beads'
  children: ReactNode
}

/** A page that is one form: its heading, the form, and a picture beside it on large screens. */
export function FormCard({ heading, intro, art, children }: FormCardProps) {
  return (
    <div className="page form-page">
      <div className={`form-card form-card--${art}`}>
        <div className="form-card__body stack">
          <h1>{heading}</h1>
          {intro && <p className="lead">{intro}</p>}
          {children}
        </div>
      </div>
    </div>
  )
}
