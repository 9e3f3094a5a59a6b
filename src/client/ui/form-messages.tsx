import { type ReactNode, useEffect, useRef } from 'react'
import { type FormState, PROBLEM_ID } from './use-form.ts'

/** What is wrong with a form; read out as soon as it appears. While the form is sent again, its room stays. */
export function FormProblemBanner({ state }: { state: FormState<string> }) {
  if (state.status === 'failed') return <Problem key="shown" message={state.message} />
  if (state.status === 'loading' && state.before)
    return <Problem key="room" message={state.before} isHidden />
  return null
}

function Problem({ message, isHidden = false }: { message: string; isHidden?: boolean }) {
  const props = isHidden ? { 'aria-hidden': true } : { role: 'alert', id: PROBLEM_ID }
  return (
    <p className="banner banner--error" {...props}>
      <span className="banner__mark" aria-hidden="true">
        ✕
      </span>
      <span>{message}</span>
    </p>
  )
}

/** What stands in a form's place after its success; takes the focus that the form had. */
export function FormDone({ message, children }: { message: string; children?: ReactNode }) {
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => panel.current?.focus(), [])
  return (
    <div className="form-card__done" tabIndex={-1} ref={panel}>
      <p className="banner banner--success" role="status">
        <span className="banner__mark" aria-hidden="true">
          ✓
        </span>
        <span>{message}</span>
      </p>
      {children}
    </div>
  )
}
