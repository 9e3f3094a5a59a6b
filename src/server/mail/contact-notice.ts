import { shop } from '#shared/shop.ts'
import type { contactMessages } from '../db/schema.ts'
import { mailBody } from './layout.ts'
import type { Mail } from './mailer.ts'

type Message = Pick<typeof contactMessages.$inferSelect, 'id' | 'name' | 'email' | 'message'>

/** Notifies the shop of a contact message; a reply goes to its sender. */
export function contactNotice({ id, name, email, message }: Message, operatorEmail: string): Mail {
  return {
    kind: 'contact-notice',
    subjectId: id,
    recipient: operatorEmail,
    replyTo: email,
    subject: `Message from ${name}`,
    ...mailBody(`${name} wrote to the shop`, [
      { kind: 'quote', text: message },
      { kind: 'paragraph', text: `Write back to ${email}. We promised an answer ${shop.replyPromise}.` },
    ]),
  }
}
