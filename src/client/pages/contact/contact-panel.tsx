import { useSetAtom } from 'jotai'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { ContactView } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import { contactDraftAtom, EMPTY_CONTACT } from '../../state/contact.ts'
import { ContactForm } from './contact-form.tsx'

/** The form, or what follows it once the message has been sent (§ 4). `view` is how the server answered a form post. */
export function ContactPanel({ view }: { view: ContactView }) {
  const [isSent, setIsSent] = useState(view?.isSent ?? false)
  const [isAgain, setIsAgain] = useState(false)
  const setDraft = useSetAtom(contactDraftAtom)

  // The server took the form: nothing of it is left to keep.
  useEffect(() => {
    if (isSent) setDraft(EMPTY_CONTACT)
  }, [isSent, setDraft])

  if (isSent) {
    return (
      <SentPanel
        onAgain={() => {
          setIsSent(false)
          setIsAgain(true)
        }}
      />
    )
  }
  return <ContactForm initial={isAgain ? null : view} isFocused={isAgain} onSent={() => setIsSent(true)} />
}

function SentPanel({ onAgain }: { onAgain: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])

  const again = (event: FormEvent) => {
    event.preventDefault()
    onAgain()
  }
  return (
    <div className="contact__sent stack">
      <img src="/images/mark.svg" alt="" width="56" height="56" />
      <h2 id="contact-form" ref={heading} tabIndex={-1}>
        Asante! Your message is with us.
      </h2>
      <p>{`Thank you for writing. We reply ${shop.replyPromise}.`}</p>
      {/* A form, so that the button also works before the script has loaded. */}
      <form action={href('contact')} onSubmit={again}>
        <button type="submit" className="button">
          Send Another Message
        </button>
      </form>
    </div>
  )
}
