import { useAtom, useSetAtom } from 'jotai'
import { type ChangeEvent, type FormEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ContactView } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import {
  CONTACT_FIELDS,
  CONTACT_TRAP_FIELD,
  type ContactField,
  contactProblems,
  messageCounter,
} from '#shared/rules/contact-form.ts'
import { callApi, prepareCall } from '../../api.ts'
import { beginContactDraftAtom, contactDraftAtom, EMPTY_CONTACT } from '../../state/contact.ts'
import { FormProblemBanner } from '../../ui/form-messages.tsx'
import type { FormState } from '../../ui/use-form.ts'
import { Field } from './field.tsx'

/** What is said when there is no connection, and when the server says nothing (§ 8). */
const NETWORK_ERROR = 'Network error'
const SUBMISSION_FAILED = 'Submission failed. Please try again.'

/** The call and its schemas are fetched when the form is being filled in. */
const call = () => import('#shared/contract/contact.ts').then(({ sendMessage }) => sendMessage)

const useBrowserLayoutEffect = typeof window === 'undefined' ? () => {} : useLayoutEffect

type Touched = Partial<Record<ContactField, boolean>>
const ALL_TOUCHED: Touched = { name: true, email: true, message: true }

type ContactFormProps = {
  /** What the server answered to the form when it was posted without scripts. */
  initial: ContactView
  /** Whether the first field takes the focus. */
  isFocused: boolean
  onSent: () => void
}

/** The contact form (§§ 2, 4, 5, 8). */
export function ContactForm({ initial, isFocused, onSent }: ContactFormProps) {
  const [draft, setDraft] = useAtom(contactDraftAtom)
  const beginDraft = useSetAtom(beginContactDraftAtom)
  const [touched, setTouched] = useState<Touched>(initial ? ALL_TOUCHED : {})
  const [state, setState] = useState<FormState<never>>(() =>
    initial?.error ? failed(initial.error) : { status: 'idle' },
  )
  const form = useRef<HTMLFormElement>(null)

  const values = draft ?? initial?.form ?? EMPTY_CONTACT
  const problems = contactProblems(values)
  const counter = messageCounter(values.message)
  const isSending = state.status === 'loading'

  useBrowserLayoutEffect(() => {
    const element = form.current
    if (element) beginDraft(shownIn(element))
  }, [beginDraft])

  useEffect(() => {
    if (isFocused) fieldOf(form.current, 'name')?.focus()
  }, [isFocused])

  const edit = ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
    setState({ status: 'idle' })
    setDraft({ ...values, [target.name]: target.value })
  }

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isSending) return
    setTouched(ALL_TOUCHED)
    const wrong = CONTACT_FIELDS.find((field) => problems[field])
    if (wrong) return fieldOf(event.currentTarget, wrong)?.focus()

    const trap = new FormData(event.currentTarget).get(CONTACT_TRAP_FIELD)
    setState({ status: 'loading', before: state.status === 'failed' ? state.message : undefined })
    const result = await callApi(call, { ...values, [CONTACT_TRAP_FIELD]: String(trap ?? '') })
    if (!result.ok)
      return setState(failed(result.status === 0 ? NETWORK_ERROR : (result.message ?? SUBMISSION_FAILED)))
    setState({ status: 'idle' })
    setDraft(EMPTY_CONTACT)
    onSent()
  }

  const fieldProps = (field: ContactField) => ({
    name: field,
    value: values[field],
    problem: touched[field] ? problems[field] : undefined,
    isReadOnly: isSending,
    onChange: edit,
    onBlur: () => setTouched((before) => ({ ...before, [field]: true })),
  })

  return (
    <form
      ref={form}
      className="stack"
      method="post"
      action={href('contact')}
      noValidate
      onFocus={() => prepareCall(call)}
      onSubmit={submit}
    >
      <h2 id="contact-form">Send a message</h2>
      <Field label="Name" {...fieldProps('name')} autoComplete="name" />
      <Field label="Email" {...fieldProps('email')} type="email" autoComplete="email" />
      <Field label="Message" {...fieldProps('message')} isLong>
        <span
          className={counter.isWarning ? 'contact__counter contact__counter--warning' : 'contact__counter'}
        >
          {counter.text}
        </span>
      </Field>
      <div className="visually-hidden" aria-hidden="true">
        <label htmlFor={CONTACT_TRAP_FIELD}>Leave this empty</label>
        <input id={CONTACT_TRAP_FIELD} name={CONTACT_TRAP_FIELD} tabIndex={-1} autoComplete="off" />
      </div>
      <FormProblemBanner state={state} />
      <button type="submit" className="button button--wide" aria-disabled={isSending}>
        {isSending ? 'Sending...' : 'Send Message'}
      </button>
      <p className="contact__waiting" role="status">
        {isSending && (
          <>
            <span className="spinner" aria-hidden="true" />
            Sending your message...
          </>
        )}
      </p>
    </form>
  )
}

const failed = (message: string) => ({ status: 'failed', message, fields: [] }) as const

/** What stands in the form's fields, whether or not the page was awake when it was typed. */
function shownIn(form: HTMLFormElement) {
  const shown = new FormData(form)
  const text = (field: ContactField) => String(shown.get(field) ?? '')
  return { name: text('name'), email: text('email'), message: text('message') }
}

function fieldOf(form: HTMLFormElement | null, field: ContactField): HTMLElement | undefined {
  const element = form?.elements.namedItem(field)
  return element instanceof HTMLElement ? element : undefined
}
