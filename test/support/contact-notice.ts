import type { Mail } from '#server/mail/mailer.ts'

/** A mail as the outbox takes it. */
export const contactNotice: Mail = {
  kind: 'contact-notice',
  subjectId: 'message',
  recipient: 'hello@pamba.example',
  subject: 'A message',
  text: 'Habari',
  html: '<p>Habari</p>',
}
