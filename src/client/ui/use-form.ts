import { useAtom } from 'jotai'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { FormResult } from '#shared/page-data.ts'
import type { FormProblem } from '#shared/rules/auth-forms.ts'
import { typedAccountAtom } from '../state/typed-account.ts'

/** Idle, loading, error, success (§ 4). */
export type FormState<Field extends string> =
  | { status: 'idle' | 'done' }
  /** `before` is the message of the try before: its room is kept, so that a second click still meets the button. */
  | { status: 'loading'; before: string | undefined }
  | { status: 'failed'; message: string; fields: readonly Field[] }

type FormOptions<Field extends string> = {
  fields: readonly Field[]
  /** How the server answered the form when it was posted to the page; null for a page that was just opened. */
  posted: FormResult | null
  /** The form's rules (§ 5). */
  problemOf: (values: Record<Field, string>) => FormProblem<Field> | undefined
  /** Fetches what sending will need; called as soon as the shopper is at the form. */
  prepare: () => void
  /** Does the form's work; resolves with the message of its failure, or with nothing. */
  send: (values: Record<Field, string>) => Promise<string | undefined>
}

/** What a form's field needs of it. */
export type FieldProps = {
  name: string
  isDisabled: boolean
  defaultValue: string | undefined
  problemId: string | undefined
}

/** Id of the text that says what is wrong with a form. */
export const PROBLEM_ID = 'form-problem'

/** A form's states, its submit, and what its fields need; the first field at fault takes the focus. */
export function useForm<Field extends string>({
  fields,
  posted,
  problemOf,
  prepare,
  send,
}: FormOptions<Field>) {
  const form = useRef<HTMLFormElement>(null)
  const focusAfter = useRef<HTMLElement | null>(null)
  const [typedNow, note] = useAtom(typedAccountAtom)
  // As it was when the form came; from then on the fields keep themselves.
  const [typed] = useState(typedNow)
  const [state, setState] = useState<FormState<Field>>(() => stateOf(posted, fields))

  // Disabled fields lose the focus: it is given back once they can take it again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new state
  useEffect(() => {
    focusAfter.current?.focus()
    focusAfter.current = null
  }, [state])

  const fail = (message: string, atFault: readonly Field[] = []) => {
    const [first] = atFault
    if (first) focusAfter.current = fieldOf(form.current, first)
    setState({ status: 'failed', message, fields: atFault })
  }

  const onInput = ({ target }: FormEvent) => {
    if (target instanceof HTMLInputElement) note(target)
  }

  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (state.status === 'loading') return
    const values = valuesOf(event.currentTarget, fields)
    const problem = problemOf(values)
    if (problem) return fail(problem.message, problem.fields)

    const { activeElement } = document
    setState({ status: 'loading', before: state.status === 'failed' ? state.message : undefined })
    const failure = await send(values)
    if (failure === undefined) return setState({ status: 'done' })
    if (activeElement instanceof HTMLElement) focusAfter.current = activeElement
    fail(failure)
  }

  return {
    state,
    formProps: { ref: form, method: 'post', noValidate: true, onFocus: prepare, onInput, onSubmit } as const,
    fieldProps: (name: Field): FieldProps => ({
      name,
      isDisabled: state.status === 'loading',
      defaultValue: posted?.values[name] ?? typed[name],
      problemId: state.status === 'failed' && state.fields.includes(name) ? PROBLEM_ID : undefined,
    }),
  }
}

function stateOf<Field extends string>(
  posted: FormResult | null,
  fields: readonly Field[],
): FormState<Field> {
  if (!posted) return { status: 'idle' }
  const { outcome } = posted
  if (outcome.kind === 'done') return { status: 'done' }
  const atFault = fields.filter((field) => field in outcome.errors)
  return { status: 'failed', message: outcome.message, fields: atFault }
}

function valuesOf<Field extends string>(form: HTMLFormElement, fields: readonly Field[]) {
  const data = new FormData(form)
  return Object.fromEntries(fields.map((field) => [field, String(data.get(field) ?? '')])) as Record<
    Field,
    string
  >
}

function fieldOf(form: HTMLFormElement | null, field: string): HTMLElement | null {
  const element = form?.elements.namedItem(field)
  return element instanceof HTMLElement ? element : null
}
