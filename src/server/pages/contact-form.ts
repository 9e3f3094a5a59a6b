import { sendMessage } from '#shared/contract/contact.ts'
import { type ErrorCode, errors } from '#shared/errors.ts'
import { CONTACT_TRAP_FIELD } from '#shared/rules/contact-form.ts'
import { isOutage } from '../db/failure.ts'
import { addressOf, LIMIT_PERIOD_SECONDS } from '../middleware/limit-by-address.ts'
import { sendContactMessage } from '../services/contact/send.ts'
import type { FormPost } from './form-post.ts'

/** The contact form, posted to its page: the API's rules and limits, the outcome as the page. */
export const contactFormPost: FormPost<'contact'> = async ({ c, deps, text }) => {
  const form = {
    name: text('name'),
    email: text('email'),
    // As the browser itself will read it back from the page.
    message: text('message').replace(/\r\n?/g, '\n'),
  }
  const failed = (code: ErrorCode) =>
    ({ kind: 'page', code, data: { form, isSent: false, error: errors[code].message } }) as const

  if (!(await deps.limits.writes(`contact ${addressOf(c)}`))) {
    c.header('Retry-After', String(LIMIT_PERIOD_SECONDS))
    return failed('too_many_requests')
  }
  const input = sendMessage.request.safeParse({ ...form, [CONTACT_TRAP_FIELD]: text(CONTACT_TRAP_FIELD) })
  if (!input.success) return { kind: 'page', code: 'invalid_fields', data: { form, isSent: false } }
  try {
    await sendContactMessage(input.data, deps)
  } catch (error) {
    // The page comes back with what was typed, which an error page would lose.
    if (!isOutage(error)) throw error
    c.get('fail')(error)
    return failed('unavailable')
  }
  return { kind: 'page', data: { form: { name: '', email: '', message: '' }, isSent: true } }
}
