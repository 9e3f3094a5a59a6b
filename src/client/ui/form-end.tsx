import { FormProblemBanner } from './form-messages.tsx'
import type { FormState } from './use-form.ts'

type FormEndProps = {
  state: FormState<string>
  label: string /** While the form is being sent. */
  busy: string
}

/** The end of a form: what is wrong with it, and its button. */
export function FormEnd({ state, label, busy }: FormEndProps) {
  const isLoading = state.status === 'loading'
  return (
    <>
      <FormProblemBanner state={state} />
      <button type="submit" className="button button--wide" disabled={isLoading} aria-busy={isLoading}>
        {isLoading ? busy : label}
      </button>
    </>
  )
}
