import { shop } from '#shared/shop.ts'
import { headerText, type Mailer } from './mail.ts'

type SendEmailOptions = {
  /** The `send_email` binding. */
  binding: SendEmail
  /** The sender's address; its domain must be verified for sending. */
  from: string
}

/**
 * Delivers through Cloudflare's e-mail service. That sets Message-ID itself and refuses any other, so the stable one
 * travels as `X-Message-ID` and in References, by which mail programs put a mail that came twice into one thread.
 */
export function sendEmailMailer({ binding, from }: SendEmailOptions): Mailer {
  const domain = from.slice(from.indexOf('@') + 1)
  return {
    async send({ recipient, replyTo, subject, text, html, messageId }) {
      const stableId = `<${messageId}@${domain}>`
      await binding.send({
        from: { name: headerText(shop.name), email: from },
        to: headerText(recipient),
        subject: headerText(subject),
        text,
        html,
        // An odd address of a shopper must not keep the mail from the shop.
        ...(replyTo && isPlainAddress(replyTo) ? { replyTo } : {}),
        headers: {
          'X-Message-ID': stableId,
          References: stableId,
          'Auto-Submitted': 'auto-generated',
        },
      })
    },
  }
}

function isPlainAddress(address: string): boolean {
  return /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(address)
}
