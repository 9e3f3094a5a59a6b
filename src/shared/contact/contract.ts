import * as z from 'zod/mini'
import { createTextSchema, defineCall, toMultiline } from '#shared/api-call.ts'
import { cleanEmail } from '#shared/email.ts'
import { CONTACT_HONEYPOT_FIELD, type ContactField, findContactProblem } from './contact-form.ts'

const createContactFieldSchema = (field: ContactField, clean?: (value: string) => string) =>
  createTextSchema((value) => findContactProblem(field, value), clean)

/** Repeating a message on the same day returns the same id and stores nothing. */
export const sendMessageCall = defineCall({
  method: 'POST',
  path: '/contact',
  request: z.object({
    name: createContactFieldSchema('name'),
    email: createContactFieldSchema('email', cleanEmail),
    message: createContactFieldSchema('message', toMultiline),
    [CONTACT_HONEYPOT_FIELD]: z.optional(z.string('Please enter some text.')),
  }),
  response: z.object({ id: z.string() }),
})
export type MessageRequest = z.infer<typeof sendMessageCall.request>
