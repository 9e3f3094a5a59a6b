import * as z from 'zod/mini'
import { CONTACT_TRAP_FIELD, type ContactField, contactProblem } from '../rules/contact-form.ts'
import { visibleAddress } from '../rules/email.ts'
import { call } from './call.ts'

/** A field by § 5, after `clean` and trimmed. */
function contactText(field: ContactField, clean: (value: string) => string) {
  return z.pipe(
    z.pipe(
      z._default(z.string('Please enter text.'), ''),
      z.transform((value: string) => clean(value).trim()),
    ),
    z.string().check(({ value, issues }) => {
      const message = contactProblem(field, value)
      if (message) issues.push({ code: 'custom', message, input: value })
    }),
  )
}

/** One line: control characters become the spaces they stand for. */
const oneLine = (value: string) => value.replace(/\p{Cc}+/gu, ' ')
/** Lines and tabs stay, however the sender's system breaks them; other control characters go. */
const manyLines = (value: string) => value.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '')

/**
 * Sends a message to the shop. The same message by the same person on the same day is one message: 201 with the
 * same id. 400 `invalid_fields`, 413, 415, 429 with Retry-After.
 */
export const sendMessage = call({
  method: 'POST',
  path: '/contact',
  request: z.object({
    name: contactText('name', oneLine),
    email: contactText('email', visibleAddress),
    message: contactText('message', manyLines),
    [CONTACT_TRAP_FIELD]: z.optional(z.string('Please enter text.')),
  }),
  response: z.object({ id: z.string() }),
})
export type MessageRequest = z.infer<typeof sendMessage.request>
