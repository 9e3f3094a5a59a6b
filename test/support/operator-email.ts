import type { Email } from '#server/platform/email/mailer.ts'
import { shop } from '#shared/shop.ts'

export const operatorEmail: Email = {
  kind: 'contact-notice',
  subjectId: 'message',
  recipient: shop.email,
  subject: 'A message',
  text: 'Habari',
  html: '<p>Habari</p>',
}
