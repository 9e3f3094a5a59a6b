import { useStore } from 'jotai'
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
import type { Draft, DraftAtom } from '#client/app/drafts.ts'
import { onPageRestored } from '#client/app/wait.ts'
import type { FormProblem } from '#shared/api-call.ts'
import type { FormResult } from '#shared/page-data.ts'
import type { FieldBinding, FieldControl } from './field.tsx'

export const FORM_ERROR_ID = 'form-error'

/** Groups whose role doesn't allow `aria-invalid` have `data-invalid`, their name, instead. */
export const INVALID_SELECTOR = '[aria-invalid=true], [data-invalid]'

/** § 4 specifies these states. */
export type FormState<Field extends string> =
  | { status: 'idle' | 'success'; message?: undefined; fields?: undefined }
  /** `message` is the last error, whose space stays reserved while the form is resent. */
  | { status: 'loading'; message: string | undefined; fields?: undefined }
  /** `message` is empty once the shopper has edited the form. */
  | { status: 'error'; message: string; fields: readonly Field[] }

type Values<Field extends string> = Record<Field, string>
export type FieldErrors<Field extends string> = Partial<Record<Field, string | undefined>>

export type FormPart = {
  /** Shows the errors under the fields of this part. Returns true if there are none. */
  validate: () => boolean
}

type FormOptions<Field extends string> = {
  fields: readonly Field[]
  /** Fields such as passwords, whose text stays in the input, never in state or drafts. */
  uncontrolled?: readonly Field[]
  draft: DraftAtom
  initial?: Readonly<Partial<Values<Field>>>
  /** The server's result, if the form was posted without JavaScript. */
  posted?: FormResult | null
  /**
   * Validates the whole form, for forms that show one message (§ 5). If the rules can't be fetched, the server
   * validates.
   */
  validate?: (values: Values<Field>) => Promise<FormProblem<Field> | undefined>
  /** Validates a field, for forms with a message under each field (§ 5). */
  validateField?: (field: Field, value: string, values: Values<Field>) => string | undefined
  /** Whether a field that has lost focus is validated even if it is empty, and again on each edit (§ 4). */
  validatesTouched?: boolean
  part?: RefObject<FormPart | null>
  /** Whether fields are disabled while loading, not just read-only (§ 4). */
  disablesFields?: boolean
  isBusy?: boolean
  /** Called when the form receives focus. */
  prepare?: () => void
  /** Resolves to undefined on success, otherwise to a message or to messages by field. */
  send: (values: Values<Field>) => Promise<string | FieldErrors<Field> | undefined>
}

export function useForm<Field extends string>({
  fields,
  uncontrolled = [],
  draft: draftAtom,
  initial,
  posted,
  validate,
  validateField,
  validatesTouched = false,
  part,
  disablesFields = false,
  isBusy: isBusyElsewhere = false,
  prepare,
  send,
}: FormOptions<Field>) {
  const formRef = useRef<HTMLFormElement>(null)
  const focusNextRef = useRef<Element | null>(null)
  const [draft, setDraft] = useDraft(draftAtom)
  const [postedValues, setPostedValues] = useState(posted?.values)
  const [state, setState] = useState(() => getPostedState(posted, fields, validateField !== undefined))
  const [errors, setErrors] = useState<FieldErrors<Field>>(() =>
    validateField ? getPostedErrors(posted, fields) : {},
  )
  const isSubmittingRef = useRef(false)
  const touchedFieldsRef = useRef(new Set<Field>(validatesTouched && posted ? fields : []))

  const isBusy = isBusyElsewhere || state.status === 'loading'
  const controlled = fields.filter((field) => !uncontrolled.includes(field))
  const getText = (field: Field) => draft?.[field] ?? postedValues?.[field] ?? initial?.[field] ?? ''
  const values = mapFields(fields, getText)

  // Text typed or posted before hydration overrides a stored draft.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, on hydration
  useLayoutEffect(() => {
    const element = formRef.current
    if (!element) return
    const texts = readFields(element, controlled)
    const typed = controlled.filter(
      (field) => texts[field] && (postedValues || texts[field] !== values[field]),
    )
    setDraft((stored) =>
      typed.length > 0 ? { ...stored, ...mapFields(typed, (field) => texts[field]) } : stored,
    )
    setPostedValues(undefined)
  }, [])

  // After a failure, the first invalid field takes focus or, if none is invalid, the element that had focus on submit.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new state
  useEffect(() => {
    const target =
      focusNextRef.current && (formRef.current?.querySelector(INVALID_SELECTOR) ?? focusNextRef.current)
    if (target instanceof HTMLElement) target.focus()
    focusNextRef.current = null
  }, [state])

  // If the form succeeded before the shopper left, it must be usable when Back restores the page.
  useEffect(
    () => onPageRestored(() => setState((now) => (now.status === 'success' ? { status: 'idle' } : now))),
    [],
  )

  const onChange = ({ target }: ChangeEvent<FieldControl>) => {
    const field = controlled.find((name) => name === target.name)
    if (!field) return
    const { value } = target
    setDraft((now) => ({ ...now, [field]: value }))
    if (!validateField) return
    setErrors((now) => ({
      ...now,
      [field]: touchedFieldsRef.current.has(field) ? validateField(field, value, values) : undefined,
    }))
    setState({ status: 'idle' })
  }

  const onFormChange = ({ target }: FormEvent<HTMLFormElement>) => {
    const { name } = target as Partial<FieldControl>
    if (validate && state.fields)
      setState({ ...state, message: '', fields: state.fields.filter((field) => field !== name) })
  }

  const onBlur = (event: FocusEvent<HTMLFormElement>) => {
    const field = controlled.find((name) => name === event.target.name)
    if (!field || !(validatesTouched || values[field])) return
    if (validatesTouched) touchedFieldsRef.current.add(field)
    runAfterPress(() =>
      setErrors((now) => ({ ...now, [field]: validateField?.(field, values[field], values) ?? now[field] })),
    )
  }

  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy || isSubmittingRef.current) return
    isSubmittingRef.current = true
    await submit(event.currentTarget)
    isSubmittingRef.current = false
  }

  const submit = async (element: HTMLFormElement) => {
    const { activeElement } = document
    const showFailure = (failed: FormState<Field>) => {
      focusNextRef.current = activeElement
      setState(failed)
    }
    const sentValues = readFields(element, fields)
    const problem = validate && (await validate(sentValues).catch(() => undefined))
    if (problem) return showFailure({ status: 'error', ...problem })

    const fieldErrors: FieldErrors<Field> = mapFields(fields, (field) =>
      validateField?.(field, sentValues[field], sentValues),
    )
    setErrors(fieldErrors)
    if (validatesTouched) touchedFieldsRef.current = new Set(fields)
    const isPartValid = part?.current?.validate() ?? true
    if (!isPartValid || fields.some((field) => fieldErrors[field])) return showFailure({ status: 'idle' })

    setState({ status: 'loading', message: state.message })
    const failure = await send(sentValues)
    if (failure === undefined) return setState({ status: 'success' })
    if (typeof failure === 'string') return showFailure({ status: 'error', message: failure, fields: [] })
    setErrors(failure)
    showFailure({ status: 'idle' })
  }

  return {
    state,
    values,
    formProps: {
      ref: formRef,
      method: 'post',
      noValidate: true,
      onFocus: prepare,
      onChange: onFormChange,
      onBlur,
      onSubmit,
    } as const,
    fieldProps: (name: Field): FieldBinding => ({
      name,
      isDisabled: isBusy && disablesFields,
      isReadOnly: isBusy && !disablesFields,
      error: errors[name],
      describedBy: state.fields?.includes(name) ? FORM_ERROR_ID : undefined,
      ...(uncontrolled.includes(name) ? {} : { value: values[name], onChange }),
    }),
    submitProps: { isBusy, isDisabled: isBusy && disablesFields },
    reset: () => {
      touchedFieldsRef.current.clear()
      setErrors({})
      setState({ status: 'idle' })
    },
  }
}

/**
 * `useAtom` would subscribe only after the fields accept events. React would then reset what is typed in between,
 * because it changes the draft without rendering it.
 */
function useDraft(draftAtom: DraftAtom) {
  const store = useStore()
  const [draft, setRenderedDraft] = useState(() => store.get(draftAtom))
  useLayoutEffect(() => {
    const renderDraft = () => setRenderedDraft(store.get(draftAtom))
    const unsubscribe = store.sub(draftAtom, renderDraft)
    renderDraft()
    return unsubscribe
  }, [store, draftAtom])
  const setDraft = (change: (draft: Draft) => Draft) => void store.set(draftAtom, change)
  return [draft, setDraft] as const
}

function getPostedState<Field extends string>(
  posted: FormResult | null | undefined,
  fields: readonly Field[],
  hasFieldErrors: boolean,
): FormState<Field> {
  if (!posted) return { status: 'idle' }
  const { outcome } = posted
  if (outcome.kind === 'done') return { status: 'success' }
  const invalidFields = fields.filter((field) => field in outcome.errors)
  if (hasFieldErrors && invalidFields.length > 0) return { status: 'idle' }
  return { status: 'error', message: outcome.message, fields: invalidFields }
}

function getPostedErrors<Field extends string>(
  posted: FormResult | null | undefined,
  fields: readonly Field[],
): FieldErrors<Field> {
  const { outcome } = posted ?? {}
  return outcome?.kind === 'failed' ? mapFields(fields, (field) => outcome.errors[field]) : {}
}

function readFields<Field extends string>(form: HTMLFormElement, fields: readonly Field[]): Values<Field> {
  const data = new FormData(form)
  return mapFields(fields, (field) => String(data.get(field) ?? ''))
}

/** `Object.fromEntries` alone would widen the keys to string. */
function mapFields<Field extends string, Value>(fields: readonly Field[], toValue: (field: Field) => Value) {
  return Object.fromEntries(fields.map((field) => [field, toValue(field)])) as Record<Field, Value>
}

/** An error that appears while the pointer is down could move the pressed element away from it. */
export function runAfterPress(run: () => void): void {
  if (document.querySelector(':active')) addEventListener('click', run, { once: true })
  else run()
}
