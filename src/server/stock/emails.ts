import { emailBody } from '#server/platform/email/layout.ts'
import type { Email } from '#server/platform/email/mailer.ts'
import { shop } from '#shared/shop.ts'

type BackInStock = { itemId: number; name: string; email: string; link: string; endLink: string }

/** Tells once that an item is there again, to somebody who asked for it. */
export function backInStockEmail({ itemId, name, email, link, endLink }: BackInStock): Email {
  return {
    kind: 'back-in-stock',
    subjectId: String(itemId),
    recipient: email,
    subject: `${name} is back`,
    ...emailBody(`${name} is back`, [
      {
        kind: 'paragraph',
        text: `You asked us to let you know: it’s back in stock at ${shop.name}, while stocks last.`,
      },
      { kind: 'link', label: 'View product', address: link },
      {
        kind: 'paragraph',
        text: 'This was a one-time email for this product. To stop back-in-stock emails for all products:',
      },
      { kind: 'link', label: 'Stop back-in-stock emails', address: endLink },
    ]),
  }
}
