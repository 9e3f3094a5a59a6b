import type { FormFields } from '#server/platform/http/body.ts'
import { getIpAddress } from '#server/platform/http/request.ts'
import type { FormAction } from '#server/platform/pages/posted-form.ts'
import { CONTACT_HONEYPOT_FIELD, findContactProblems } from '#shared/contact/contact-form.ts'
import { sendMessageCall } from '#shared/contact/contract.ts'
import { errorDefinitions } from '#shared/errors.ts'
import { sendContactMessage } from './messages.ts'

export const contactAction: FormAction<'contact'> = {
  async submit({ c, ctx, field }) {
    const input = sendMessageCall.request.safeParse({
      ...readMessage(field),
      [CONTACT_HONEYPOT_FIELD]: field(CONTACT_HONEYPOT_FIELD),
    })
    if (!input.success) return { ok: false, error: { code: 'invalid_fields' } }
    const result = await sendContactMessage({ ...input.data, ipAddress: getIpAddress(c) }, ctx)
    return result.ok ? { ok: true, data: {} } : result
  },

  async pageData(field, error, load) {
    const { texts } = await load()
    if (!error) return { texts, posted: { values: {}, outcome: { kind: 'done' } } }
    const values = readMessage(field)
    const { code, message = errorDefinitions[code].message } = error
    const fieldErrors = code === 'invalid_fields' ? findContactProblems(values) : {}
    return { texts, posted: { values, outcome: { kind: 'failed', code, message, errors: fieldErrors } } }
  },
}

function readMessage(field: FormFields) {
  return {
    name: field('name'),
    email: field('email'),
    // Browsers submit line breaks as CRLF, but the value of a text area contains LF.
    message: field('message').replace(/\r\n?/g, '\n'),
  }
}
