import type { outbox } from '#server/platform/db/schema.ts'
import { escapeHtml } from '#server/platform/escape-html.ts'
import type { ContactDetails } from '#shared/content/content.ts'
import { isDeliverableAddress } from '#shared/email.ts'
import { shop } from '#shared/shop.ts'

export type Email = Pick<
  typeof outbox.$inferInsert,
  'kind' | 'subjectId' | 'recipient' | 'subject' | 'text' | 'html'
> & {
  replyTo?: string
  /** The URL or path of the order's page. When the email is sent, the signed link to it replaces {@link ORDER_LINK}. */
  orderUrl?: string
}

/** The signed link replaces this placeholder when the email is sent, so the database stores no usable link. */
export const ORDER_LINK = '%ORDER_LINK%'
/** The published contact details replace these placeholders when the email is sent. The shop may have no phone. */
export const SHOP_EMAIL = '%SHOP_EMAIL%'
export const SHOP_PHONE = '%SHOP_PHONE%'

export function fillContactDetails(
  { text, html }: Pick<Email, 'text' | 'html'>,
  { email, phone }: Pick<ContactDetails, 'email' | 'phone'>,
): Pick<Email, 'text' | 'html'> {
  return {
    text: text.replaceAll(SHOP_EMAIL, email).replaceAll(SHOP_PHONE, phone && `\n${phone}`),
    html: html
      .replaceAll(SHOP_EMAIL, escapeHtml(email))
      .replaceAll(SHOP_PHONE, phone && `<br>${escapeHtml(phone)}`),
  }
}

/** Thrown for an email that no retry can deliver. */
export class UndeliverableError extends Error {
  override name = 'UndeliverableError'
}

export type Mailer = {
  /**
   * `messageId` is the same for every attempt to send the email. `unsubscribeLink` is for one-click unsubscribe
   * (RFC 8058).
   */
  send(email: Email & { messageId: string; unsubscribeLink?: string }): Promise<void>
}

export type DeliveryLogLine = {
  level: 'info' | 'error'
  at: string
  emailId: string
  kind: Email['kind']
  attempt: number
  outcome: 'sent' | 'retry' | 'failed'
  reason?: string
}

const MAX_HEADER_CHARACTERS = 200
const LINE_BREAK_OR_CONTROL_PATTERN = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu
const DIRECTION_MARK_PATTERN = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

export function toHeaderText(text: string): string {
  const line = text
    .toWellFormed()
    .replace(DIRECTION_MARK_PATTERN, '')
    .replace(LINE_BREAK_OR_CONTROL_PATTERN, ' ')
    .trim()
  return Array.from(line).slice(0, MAX_HEADER_CHARACTERS).join('')
}

type SendEmailOptions = {
  binding: SendEmail
  from: string
}

/**
 * Cloudflare sets Message-ID itself. The stable id is in `X-Message-ID` and References instead, so that email clients
 * can group duplicates.
 */
export function createMailer({ binding, from }: SendEmailOptions): Mailer {
  const domain = from.slice(from.indexOf('@') + 1)
  return {
    async send({ recipient, replyTo, subject, text, html, messageId, unsubscribeLink }) {
      if (!isDeliverableAddress(recipient)) throw new UndeliverableError('The address can’t receive email.')
      const stableId = `<${messageId}@${domain}>`
      await binding.send({
        from: { name: toHeaderText(shop.name), email: from },
        to: toHeaderText(recipient),
        subject: toHeaderText(subject),
        text,
        html,
        // The email service would reject the whole email for an unusual reply-to address.
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

function isPlainAddress(address: string): boolean {
  return /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(address)
}

/** Matches control characters other than newlines and tabs, because they could manipulate the terminal. */
const TERMINAL_CONTROL_PATTERN = /[^\P{Cc}\n\t]/gu
const HORIZONTAL_RULE = '─'.repeat(60)

export function createPrintingMailer(next: Mailer, print: (text: string) => void): Mailer {
  return {
    async send(email) {
      await next.send(email)
      const { recipient, replyTo, subject, text } = email
      const lines = [
        `Subject: ${subject}`,
        ...(replyTo ? [`Reply-To: ${replyTo}`] : []),
        '',
        ...text.trimEnd().split('\n'),
      ]
      print(
        [
          `Email to ${recipient} (printed, not sent)`,
          `┌${HORIZONTAL_RULE}`,
          ...lines.map((line) => `│ ${line}`.trimEnd()),
          `└${HORIZONTAL_RULE}`,
        ]
          .join('\n')
          .replace(TERMINAL_CONTROL_PATTERN, ''),
      )
    },
  }
}
