import { useSetAtom } from 'jotai'
import { type FormEvent, useEffect, useRef } from 'react'
import type { FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import {
  CONTACT_FIELDS,
  CONTACT_TRAP_FIELD,
  contactProblem,
  messageCounter,
} from '#shared/rules/contact-form.ts'
import { shop } from '#shared/shop.ts'
import { callApi, prepareCall } from '../../api.ts'
import { contactDraftAtom } from '../../state/drafts.ts'
import { Field } from '../../ui/field.tsx'
import { FormError, SubmitButton } from '../../ui/form-status.tsx'
import { useForm } from '../../ui/use-form.ts'

/** Without a connection, and when the server sends no message (§ 8). */
const NETWORK_ERROR = 'Network error'
const SUBMISSION_FAILED = 'Submission failed. Please try again.'

/** The call and its schemas are fetched when the form is being filled in. */
const call = () => import('#shared/contract/contact.ts').then(({ sendMessage }) => sendMessage)

/** The contact form, or what replaces it once the message has been sent (§§ 2, 4, 5, 8). */
export function ContactForm({ posted }: { posted: FormResult | null }) {
  const setDraft = useSetAtom(contactDraftAtom)
  const isRepeated = useRef(false)
  const { state, values, formProps, fieldProps, submitProps, reset } = useForm({
    fields: [...CONTACT_FIELDS, CONTACT_TRAP_FIELD],
    uncontrolled: [CONTACT_TRAP_FIELD],
    draft: contactDraftAtom,
    posted,
    validateField: (field, value) =>
      field === CONTACT_TRAP_FIELD ? undefined : contactProblem(field, value),
    validatesOnBlur: true,
    prepare: () => prepareCall(call),
    async send(message) {
      const result = await callApi(call, message)
      if (result.ok) setDraft(() => null)
      else return result.status === 0 ? NETWORK_ERROR : (result.message ?? SUBMISSION_FAILED)
    },
  })

  // A form that was posted without scripts leaves the draft of an earlier visit behind.
  const isSent = state.status === 'success'
  useEffect(() => {
    if (isSent) setDraft(() => null)
    else if (isRepeated.current) document.getElementById(CONTACT_FIELDS[0])?.focus()
    isRepeated.current = isSent
  }, [isSent, setDraft])

  if (isSent) return <SentPanel onRepeat={reset} />
  const counter = messageCounter(values.message)
  return (
    <form {...formProps} action={href('contact')} className="stack">
      <h2 id="contact-form">Send a message</h2>
      <Field label="Name" {...fieldProps('name')} autoComplete="name" hasNoteLine />
      <Field label="Email" {...fieldProps('email')} type="email" autoComplete="email" hasNoteLine />
      <Field
        label="Message"
        {...fieldProps('message')}
        rows={6}
        note={
          <span
            className={counter.isWarning ? 'contact__counter contact__counter--warning' : 'contact__counter'}
          >
            {counter.text}
          </span>
        }
      />
      <div className="visually-hidden" aria-hidden="true">
        <label htmlFor={CONTACT_TRAP_FIELD}>Leave this empty</label>
        <input id={CONTACT_TRAP_FIELD} name={CONTACT_TRAP_FIELD} tabIndex={-1} autoComplete="off" />
      </div>
      <FormError state={state} />
      <SubmitButton {...submitProps} label="Send Message" busyLabel="Sending..." />
      <p className="contact__sending" role="status">
        {state.status === 'loading' && (
          <>
            <span className="spinner" aria-hidden="true" />
            Sending your message...
          </>
        )}
      </p>
    </form>
  )
}

/** The success panel; its button starts an empty form (§ 4). */
function SentPanel({ onRepeat }: { onRepeat: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])

  const repeat = (event: FormEvent) => {
    event.preventDefault()
    onRepeat()
  }
  return (
    <div className="contact__sent stack">
      <img src="/images/mark.svg" alt="" width="56" height="56" />
      <h2 id="contact-form" ref={heading} tabIndex={-1}>
        Asante! Your message is with us.
      </h2>
      <p>{`Thank you for writing. We reply ${shop.replyPromise}.`}</p>
      {/* A form, so that the button also works before the script has loaded. */}
      <form action={href('contact')} onSubmit={repeat}>
        <button type="submit" className="button">
          Send Another Message
        </button>
      </form>
    </div>
  )
}
