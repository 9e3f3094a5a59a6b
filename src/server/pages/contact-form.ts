import { sendMessage } from '#shared/contract/contact.ts'
import { errors } from '#shared/errors.ts'
import { CONTACT_TRAP_FIELD } from '#shared/rules/contact-form.ts'
import type { FormFields } from '../http/body.ts'
import { networkAddressOf } from '../http/request.ts'
import { sendContactMessage } from '../services/contact/send.ts'
import type { FormAction } from './form-action.ts'

/** The contact form, posted to its page. */
export const contactForm: FormAction<'contact'> = {
  async submit({ c, deps, field }) {
    const input = sendMessage.request.safeParse({
      ...messageFrom(field),
      [CONTACT_TRAP_FIELD]: field(CONTACT_TRAP_FIELD),
    })
    // The page has the message for each field.
    if (!input.success) return { ok: false, error: { code: 'invalid_fields' } }
    const sent = await sendContactMessage({ ...input.data, clientAddress: networkAddressOf(c) }, deps)
    return sent.ok ? { ok: true, data: {} } : sent
  },

  pageData(field, error) {
    if (!error) return { form: { name: '', email: '', message: '' }, isSent: true }
    const form = messageFrom(field)
    if (error.code === 'invalid_fields') return { form, isSent: false }
    return { form, isSent: false, error: error.message ?? errors[error.code].message }
  },
}

function messageFrom(field: FormFields) {
  return {
    name: field('name'),
    email: field('email'),
    // Line breaks as the browser reads them back from the page.
    message: field('message').replace(/\r\n?/g, '\n'),
  }
}
