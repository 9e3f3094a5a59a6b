import { renderEmail } from '#server/platform/email/layout.ts'
import type { Email } from '#server/platform/email/mailer.ts'
import { shop } from '#shared/shop.ts'

type BackInStockEmailInput = {
  itemId: number
  name: string
  email: string
  link: string
  unsubscribeLink: string
}

export function createBackInStockEmail({
  itemId,
  name,
  email,
  link,
  unsubscribeLink,
}: BackInStockEmailInput): Email {
  return {
    kind: 'back-in-stock',
    subjectId: String(itemId),
    recipient: email,
    subject: `${name} is back in stock`,
    ...renderEmail(`${name} is back in stock`, [
      {
        kind: 'paragraph',
        text: `You asked us to tell you when it’s back at ${shop.name}. Get it while stocks last.`,
      },
      { kind: 'link', label: 'View product', url: link },
      {
        kind: 'paragraph',
        text: 'We won’t email you about this product again. If you no longer want back-in-stock emails for any product, you can stop them here:',
      },
      { kind: 'link', label: 'Stop back-in-stock emails', url: unsubscribeLink },
    ]),
  }
}
