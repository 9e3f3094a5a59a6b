import { useSetAtom } from 'jotai'
import { type FormEvent, useEffect, useRef } from 'react'
import { callApi, preloadCall } from '#client/app/api.ts'
import { contactDraftAtom } from '#client/app/drafts.ts'
import { loadContent, withContent } from '#client/app/fetch-content.ts'
import type { PageLocation, PageProps } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import { RichText } from '#client/content/rich-text.tsx'
import { Field } from '#client/ui/field.tsx'
import { FormError, SubmitButton } from '#client/ui/form-status.tsx'
import { createIdleSection } from '#client/ui/idle-section.tsx'
import { useForm } from '#client/ui/use-form.ts'
import {
  CONTACT_FIELDS,
  CONTACT_HONEYPOT_FIELD,
  findContactProblem,
  formatMessageCounter,
} from '#shared/contact/contact-form.ts'
import { type ContactDetails, getContactTexts } from '#shared/content/content.ts'
import type { ContactView, FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'

const PHONE_ICON =
  'M6 3.5h3l1.5 4.5-2 1.5a11 11 0 0 0 6 6l1.5-2 4.5 1.5v3a2 2 0 0 1-2 2A15 15 0 0 1 4 5.5a2 2 0 0 1 2-2z'
const MESSAGE_ICON = 'M4 5h16v11H10l-4.5 4v-4H4zM8 9h8M8 12.5h5'

const createContactLinks = ({ email, phone, whatsapp, social, code, calendar }: ContactDetails) => [
  {
    label: 'Send an email',
    value: email,
    url: `mailto:${email}`,
    icon: 'M3 6.5h18v11H3zM3 7l9 6.5L21 7',
  },
  {
    label: 'Follow us',
    value: 'Instagram',
    url: social,
    icon: 'M4 12a4 4 0 1 0 8 0 4 4 0 1 0-8 0M16 5.5a2.2 2.2 0 1 0 4.4 0 2.2 2.2 0 1 0-4.4 0M16 18.5a2.2 2.2 0 1 0 4.4 0 2.2 2.2 0 1 0-4.4 0M11.6 10.4 16.2 6.8M11.6 13.6l4.6 3.6',
  },
  {
    label: 'Source code',
    value: 'GitHub',
    url: code,
    icon: 'm8 7-5 5 5 5m8-10 5 5-5 5M13.5 4.5l-3 15',
  },
  {
    label: 'Book a visit or a call',
    value: 'Calendar',
    url: calendar,
    icon: 'M4 6.5h16v13H4zM4 11h16M8.5 4v4M15.5 4v4M9 15.2l2.2 2.1 3.8-3.8',
  },
  ...(phone
    ? [{ label: 'Call us', value: phone, url: `tel:${phone.replaceAll(' ', '')}`, icon: PHONE_ICON }]
    : []),
  ...(whatsapp
    ? [{ label: 'Message us', value: 'WhatsApp', url: `https://wa.me/${whatsapp}`, icon: MESSAGE_ICON }]
    : []),
]

const { Section: Delivery, fetchSection: fetchDelivery } = createIdleSection(() =>
  import('./delivery-and-returns.tsx').then((module) => module.DeliveryAndReturns),
)

function ContactPage({ data }: PageProps<'contact'>) {
  return (
    <WithData source={data} fallback={null}>
      {(view) => <ContactContent {...view} />}
    </WithData>
  )
}

function ContactContent({ posted, texts: { contact, hours, ...rules } }: ContactView) {
  return (
    <>
      <div className="page contact">
        <header className="contact__intro stack">
          <p className="eyebrow">{`We reply ${shop.replyPromise}`}</p>
          <h1>Contact us</h1>
          <p className="lead">
            Can’t find your size, need help with a gift, or have a question about an order? Write to us, and a
            real person in our {shop.city} workshop will reply.
          </p>
          <p>
            {'Waiting for an order? '}
            <a href={href('findOrder')}>Track your order</a>.
          </p>
        </header>
        <section className="contact__form panel panel--stitched" aria-labelledby="contact-form">
          <ContactForm posted={posted} />
        </section>
        <section className="contact__links" aria-labelledby="contact-links">
          <h2 id="contact-links">Other ways to reach us</h2>
          <ul className="contact-links">
            {createContactLinks(contact).map(({ label, value, url, icon }) => (
              <li key={label}>
                <a className="contact-link" href={url}>
                  <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
                    <path d={icon} />
                  </svg>
                  <span className="contact-link__label">{label}</span>
                  <span className="contact-link__value">{value}</span>
                </a>
              </li>
            ))}
          </ul>
          {hours.length > 0 && (
            <section className="contact__hours stack stack--s" aria-labelledby="opening-hours">
              <h2 id="opening-hours">Opening hours</h2>
              <RichText text={hours} />
            </section>
          )}
        </section>
      </div>
      <div className="page contact__rules">
        <Delivery {...rules} />
      </div>
    </>
  )
}

const NETWORK_ERROR_MESSAGE = 'Network error'
const SUBMISSION_FAILED_MESSAGE = 'Submission failed. Please try again.'

const loadCall = () => import('#shared/contact/contract.ts').then((module) => module.sendMessageCall)

function ContactForm({ posted }: { posted: FormResult | null }) {
  const setDraft = useSetAtom(contactDraftAtom)
  const wasSentRef = useRef(false)
  const { state, values, formProps, fieldProps, submitProps, reset } = useForm({
    fields: [...CONTACT_FIELDS, CONTACT_HONEYPOT_FIELD],
    uncontrolled: [CONTACT_HONEYPOT_FIELD],
    draft: contactDraftAtom,
    posted,
    validateField: (field, value) =>
      field === CONTACT_HONEYPOT_FIELD ? undefined : findContactProblem(field, value),
    validatesTouched: true,
    prepare: () => preloadCall(loadCall),
    async send(message) {
      const result = await callApi(loadCall, message)
      if (result.ok) setDraft(() => null)
      else return result.status === 0 ? NETWORK_ERROR_MESSAGE : (result.message ?? SUBMISSION_FAILED_MESSAGE)
    },
  })

  // Posting the form without JavaScript leaves an earlier draft in storage.
  const isSent = state.status === 'success'
  useEffect(() => {
    if (isSent) setDraft(() => null)
    else if (wasSentRef.current) document.getElementById(CONTACT_FIELDS[0])?.focus()
    wasSentRef.current = isSent
  }, [isSent, setDraft])

  if (isSent) return <SentPanel onRepeat={reset} />
  const counter = formatMessageCounter(values.message)
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
        <label htmlFor={CONTACT_HONEYPOT_FIELD}>Leave this empty</label>
        <input id={CONTACT_HONEYPOT_FIELD} name={CONTACT_HONEYPOT_FIELD} tabIndex={-1} autoComplete="off" />
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

function SentPanel({ onRepeat }: { onRepeat: () => void }) {
  const headingRef = useRef<HTMLHeadingElement>(null)
  useEffect(() => headingRef.current?.focus(), [])

  const sendAnother = (event: FormEvent) => {
    event.preventDefault()
    onRepeat()
  }
  return (
    <div className="contact__sent stack">
      <img src="/images/mark.svg" alt="" width="56" height="56" />
      <h2 id="contact-form" ref={headingRef} tabIndex={-1}>
        Asante! We’ve received your message.
      </h2>
      <p>{`We’ll reply ${shop.replyPromise}.`}</p>
      {/* The button must be in a form to work before hydration. */}
      <form action={href('contact')} onSubmit={sendAnother}>
        <button type="submit" className="button">
          Send Another Message
        </button>
      </form>
    </div>
  )
}

export { ContactPage as Page }

export function prefetch() {
  return Promise.all([fetchDelivery(), loadContent()])
}

export function load({ hash }: PageLocation): ContactView | Promise<ContactView> {
  return withContent((content) => {
    const view = { texts: getContactTexts(content), posted: null }
    return hash ? fetchDelivery().then(() => view) : view
  })
}
