import type { outbox } from '#server/platform/db/schema.ts'
import { shop } from '#shared/shop.ts'

/** An e-mail before it is sent; it becomes an outbox row first. */
export type Email = Pick<
  typeof outbox.$inferInsert,
  'kind' | 'subjectId' | 'recipient' | 'subject' | 'text' | 'html'
> & {
  replyTo?: string
  /** The page of the order it is about: {@link ORDER_LINK} in its text becomes the signed link to it. */
  orderAddress?: string
}

/** Stands for the signed link to an order's page until the mail is delivered: the records hold no usable link. */
export const ORDER_LINK = '%ORDER_LINK%'

/** A mail that no attempt can deliver. */
export class UndeliverableError extends Error {
  override name = 'UndeliverableError'
}

/** Sends e-mails; rejects when that fails, with {@link UndeliverableError} where it always will. */
export type Mailer = {
  /**
   * `messageId` is the same for every attempt, so that a mail that arrives twice can be recognised; at `unsubscribeLink`
   * mail programs unsubscribe its reader with one click (RFC 8058).
   */
  send(mail: Email & { messageId: string; unsubscribeLink?: string }): Promise<void>
}

/** One attempt to deliver an e-mail, as one line of JSON in the log. Holds no address and no text of the mail. */
export type DeliveryLogLine = {
  level: 'info' | 'error'
  at: string
  /** The outbox row's id. */
  mail: string
  kind: Email['kind']
  /** 1 for the first attempt. */
  attempt: number
  outcome: 'sent' | 'retry' | 'failed'
  reason?: string
}

const MAX_HEADER_CHARACTERS = 200
const LINE_BREAKS_AND_CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu
/** They could make a name read backwards. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** A text for a mail header: one line without control or direction characters, at most 200 long. */
export function headerText(text: string): string {
  const line = text.toWellFormed().replace(DIRECTION_MARKS, '').replace(LINE_BREAKS_AND_CONTROLS, ' ').trim()
  return Array.from(line).slice(0, MAX_HEADER_CHARACTERS).join('')
}

type SendEmailOptions = {
  /** The `send_email` binding. */
  binding: SendEmail
  /** The sender's address; its domain must be verified for sending. */
  from: string
}

/**
 * Sends through Cloudflare's e-mail service. It sets Message-ID itself, so the stable id goes into `X-Message-ID` and
 * References, by which mail clients show a mail that arrived twice as one thread.
 */
export function sendEmailMailer({ binding, from }: SendEmailOptions): Mailer {
  const domain = from.slice(from.indexOf('@') + 1)
  return {
    async send({ recipient, replyTo, subject, text, html, messageId, unsubscribeLink }) {
      if (!isOneAddress(recipient)) throw new UndeliverableError('The address can’t receive email.')
      const stableId = `<${messageId}@${domain}>`
      await binding.send({
        from: { name: headerText(shop.name), email: from },
        to: headerText(recipient),
        subject: headerText(subject),
        text,
        html,
        // An unusual address would make the service reject the whole mail.
        ...(replyTo && isPlainAddress(replyTo) ? { replyTo } : {}),
        headers: {
          'X-Message-ID': stableId,
          References: stableId,
          'Auto-Submitted': 'auto-generated',
          ...(unsubscribeLink && {
            'List-Unsubscribe': `<${unsubscribeLink}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
      })
    },
  }
}

/** Whether a text is one address to every mail program: without what separates, quotes or comments. */
function isOneAddress(address: string): boolean {
  return /^[^\s\p{Cc}<>()[\]\\,;:"@]+@[^\s\p{Cc}<>()[\]\\,;:"@]+\.[^\s\p{Cc}<>()[\]\\,;:"@.]+$/u.test(address)
}

function isPlainAddress(address: string): boolean {
  return /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(address)
}

/** Control characters in a mail could manipulate the terminal. */
const TERMINAL_CONTROLS = /[^\P{Cc}\n\t]/gu
const RULE = '─'.repeat(60)

/** For local development: sends through `next` and prints each mail's plain text in a frame. */
export function printingMailer(next: Mailer, print: (text: string) => void): Mailer {
  return {
    async send(mail) {
      await next.send(mail)
      const { recipient, replyTo, subject, text } = mail
      const lines = [
        `Subject: ${subject}`,
        ...(replyTo ? [`Reply-To: ${replyTo}`] : []),
        '',
        ...text.trimEnd().split('\n'),
      ]
      print(
        [
          `Email to ${recipient} (printed, not sent)`,
          `┌${RULE}`,
          ...lines.map((line) => `│ ${line}`.trimEnd()),
          `└${RULE}`,
        ]
          .join('\n')
          .replace(TERMINAL_CONTROLS, ''),
      )
    },
  }
}
