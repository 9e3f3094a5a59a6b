import { useAtom } from 'jotai'
import {
  type ChangeEvent,
  type FocusEvent,
  type FormEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { DraftAtom } from '#client/app/drafts.ts'
import { onPageRestored } from '#client/app/wait.ts'
import type { FormProblem } from '#shared/api-call.ts'
import type { FormResult } from '#shared/page-data.ts'
import type { FieldBinding, FieldControl } from './field.tsx'

/** Id of a form's error message. */
export const FORM_ERROR_ID = 'form-error'

/** Idle, loading, error, success (§ 4). `previous` is the error before: its space stays reserved, so that the button does not move. */
export type FormState<Field extends string> =
  | { status: 'idle' | 'success' }
  | { status: 'loading'; previous: string | undefined }
  | { status: 'error'; message: string; fields: readonly Field[] }

type Values<Field extends string> = Record<Field, string>
export type FieldErrors<Field extends string> = Partial<Record<Field, string | undefined>>

/** A part of the form with fields of its own, such as the card. */
export type FormPart = {
  /** Shows what is wrong under each of its fields; true when nothing is. */
  validate: () => boolean
  focusFirstError: () => void
}

type FormOptions<Field extends string> = {
  fields: readonly Field[]
  /** Fields whose text is in their input alone, in no state and no draft: passwords. */
  uncontrolled?: readonly Field[]
  /** The draft that stores the text of all other fields. */
  draft: DraftAtom
  /** What fields hold that nobody has typed into. */
  initial?: Readonly<Partial<Values<Field>>>
  /** How the server answered the form when it was posted to its page without scripts. */
  posted?: FormResult | null
  /** The form's rules (§ 5), for forms that show one message. Where they cannot be fetched, the server's answer counts. */
  validate?: (values: Values<Field>) => Promise<FormProblem<Field> | undefined>
  /** A field's rule (§ 5), for forms that show a message under each field. */
  validateField?: (field: Field, value: string, values: Values<Field>) => string | undefined
  /** Shows a field's message once it has been left, and from then on while it is edited; else at submit, until it is edited. */
  validatesOnBlur?: boolean
  part?: RefObject<FormPart | null>
  /** Disables fields and button while loading (§ 4); else they are read-only, and focus stays where it is. */
  disablesFields?: boolean
  /** Whether other work than `send` makes the form busy. */
  isBusy?: boolean
  /** Fetches what `send` will need; called as soon as the form has focus. */
  prepare?: () => void
  /** Resolves to nothing on success, else to the message, or to messages by field. */
  send: (values: Values<Field>) => Promise<string | FieldErrors<Field> | undefined>
}

/** A form's state, its submit, and what its fields need; the first field at fault takes the focus. */
export function useForm<Field extends string>({
  fields,
  uncontrolled = [],
  draft: draftAtom,
  initial,
  posted,
  validate,
  validateField,
  validatesOnBlur = false,
  part,
  disablesFields = false,
  isBusy: isBusyElsewhere = false,
  prepare,
  send,
}: FormOptions<Field>) {
  const form = useRef<HTMLFormElement>(null)
  const focusNext = useRef<HTMLElement | null>(null)
  const [draft, setDraft] = useAtom(draftAtom)
  const [postedValues, setPostedValues] = useState(posted?.values)
  const [state, setState] = useState(() => postedState(posted, fields, validateField !== undefined))
  const [errors, setErrors] = useState<FieldErrors<Field>>(() =>
    validateField ? postedErrors(posted, fields) : {},
  )
  const isSubmitting = useRef(false)
  const left = useRef(new Set<Field>(validatesOnBlur && posted ? fields : []))

  const isBusy = isBusyElsewhere || state.status === 'loading'
  const controlled = fields.filter((field) => !uncontrolled.includes(field))
  const textOf = (field: Field) => draft?.[field] ?? postedValues?.[field] ?? initial?.[field] ?? ''
  const values = recordOf(fields, textOf)

  // What was typed or posted before hydration is in the inputs alone, and wins over a stored draft.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, on hydration
  useLayoutEffect(() => {
    const element = form.current
    if (!element) return
    const shown = textsIn(element, controlled)
    const typed = controlled.filter(
      (field) => shown[field] && (postedValues || shown[field] !== values[field]),
    )
    setDraft((stored) =>
      typed.length > 0 ? { ...stored, ...recordOf(typed, (field) => shown[field]) } : stored,
    )
    setPostedValues(undefined)
  }, [])

  // Disabled fields lose the focus: it is given back once they can take it again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new state
  useEffect(() => {
    focusNext.current?.focus()
    focusNext.current = null
  }, [state])

  // It may have been left for what a success leads to.
  useEffect(
    () => onPageRestored(() => setState((now) => (now.status === 'success' ? { status: 'idle' } : now))),
    [],
  )

  const fail = (message: string, atFault: readonly Field[] = []) => {
    const [first] = atFault
    if (first) focusNext.current = fieldIn(form.current, first)
    setState({ status: 'error', message, fields: atFault })
  }

  const onChange = ({ target }: ChangeEvent<FieldControl>) => {
    const field = controlled.find((name) => name === target.name)
    if (!field) return
    const { value } = target
    setDraft((now) => ({ ...now, [field]: value }))
    if (!validateField) return
    setErrors((now) => ({
      ...now,
      [field]: left.current.has(field) ? validateField(field, value, values) : undefined,
    }))
    setState({ status: 'idle' })
  }

  const onBlur = (event: FocusEvent<HTMLFormElement>) => {
    const field = controlled.find((name) => name === event.target.name)
    if (!field || !validatesOnBlur) return
    left.current.add(field)
    setErrors((now) => ({ ...now, [field]: validateField?.(field, values[field], values) }))
  }

  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy || isSubmitting.current) return
    isSubmitting.current = true
    await submit(event.currentTarget)
    isSubmitting.current = false
  }

  const submit = async (element: HTMLFormElement) => {
    const sent = textsIn(element, fields)
    const problem = validate && (await validate(sent).catch(() => undefined))
    if (problem) return fail(problem.message, problem.fields)

    const found: FieldErrors<Field> = recordOf(fields, (field) => validateField?.(field, sent[field], sent))
    setErrors(found)
    if (validatesOnBlur) left.current = new Set(fields)
    const isPartValid = part?.current?.validate() ?? true
    const wrong = fields.find((field) => found[field])
    if (wrong) return fieldIn(element, wrong)?.focus()
    if (!isPartValid) return part?.current?.focusFirstError()

    const { activeElement } = document
    setState({ status: 'loading', previous: state.status === 'error' ? state.message : undefined })
    const failure = await send(sent)
    if (failure === undefined) return setState({ status: 'success' })
    if (activeElement instanceof HTMLElement) focusNext.current = activeElement
    if (typeof failure === 'string') return fail(failure)
    setErrors(failure)
    setState({ status: 'idle' })
  }

  return {
    state,
    values,
    formProps: { ref: form, method: 'post', noValidate: true, onFocus: prepare, onBlur, onSubmit } as const,
    fieldProps: (name: Field): FieldBinding => ({
      name,
      isDisabled: isBusy && disablesFields,
      isReadOnly: isBusy && !disablesFields,
      error: errors[name],
      describedBy: state.status === 'error' && state.fields.includes(name) ? FORM_ERROR_ID : undefined,
      ...(uncontrolled.includes(name) ? {} : { value: values[name], onChange }),
    }),
    submitProps: { isBusy, isDisabled: isBusy && disablesFields },
    /** Starts the form again, after its success. */
    reset: () => {
      left.current.clear()
      setErrors({})
      setState({ status: 'idle' })
    },
  }
}

function postedState<Field extends string>(
  posted: FormResult | null | undefined,
  fields: readonly Field[],
  hasFieldErrors: boolean,
): FormState<Field> {
  if (!posted) return { status: 'idle' }
  const { outcome } = posted
  if (outcome.kind === 'done') return { status: 'success' }
  const atFault = fields.filter((field) => field in outcome.errors)
  if (hasFieldErrors && atFault.length > 0) return { status: 'idle' }
  return { status: 'error', message: outcome.message, fields: atFault }
}

function postedErrors<Field extends string>(
  posted: FormResult | null | undefined,
  fields: readonly Field[],
): FieldErrors<Field> {
  const { outcome } = posted ?? {}
  return outcome?.kind === 'failed' ? recordOf(fields, (field) => outcome.errors[field]) : {}
}

/** What the form's inputs hold at this moment. */
function textsIn<Field extends string>(form: HTMLFormElement, fields: readonly Field[]): Values<Field> {
  const data = new FormData(form)
  return recordOf(fields, (field) => String(data.get(field) ?? ''))
}

function fieldIn(form: HTMLFormElement | null, field: string): HTMLElement | null {
  const element = form?.elements.namedItem(field)
  return element instanceof HTMLElement ? element : null
}

/** `Object.fromEntries`, which forgets the names of its keys, with their type. */
function recordOf<Field extends string, Value>(fields: readonly Field[], toValue: (field: Field) => Value) {
  return Object.fromEntries(fields.map((field) => [field, toValue(field)])) as Record<Field, Value>
}
