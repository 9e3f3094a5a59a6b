import { mailBody } from '#server/platform/email/layout.ts'
import type { Mail } from '#server/platform/email/mailer.ts'
import { shop } from '#shared/shop.ts'

type BackInStock = { itemId: number; name: string; email: string; link: string; endLink: string }

/** Tells once that an item is there again, to somebody who asked for it. */
export function backInStockMail({ itemId, name, email, link, endLink }: BackInStock): Mail {
  return {
    kind: 'back-in-stock',
    subjectId: String(itemId),
    recipient: email,
    subject: `${name} is back`,
    ...mailBody(`${name} is back`, [
      {
        kind: 'paragraph',
        text: `You asked ${shop.name} to tell you when it is there again. It is, for as long as it lasts.`,
      },
      { kind: 'link', label: 'Have a look', address: link },
      {
        kind: 'paragraph',
        text: 'We tell you once, and have taken your address off the list for it. If you do not want to be told of other products either:',
      },
      { kind: 'link', label: 'End all such mails', address: endLink },
    ]),
  }
}
