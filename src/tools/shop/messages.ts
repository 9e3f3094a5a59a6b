import { listMessages } from '#server/contact/messages.ts'
import { listStuckEmails } from '#server/platform/email/stuck-emails.ts'
import { parseLimit, type ShopCommand, toTable } from './shop-command.ts'
import { formatDateTime, toOneLine } from './table.ts'

export const listMessagesCommand: ShopCommand = {
  usage: '[--limit 20]',
  summary: 'messages from the contact form, latest first',
  async run({ options: { limit } }, ctx) {
    const rows = await listMessages({ limit: parseLimit(limit) }, ctx)
    const blocks = rows.map(({ createdAtMs, name, email, message, isSuspicious }) => {
      const mark = isSuspicious ? '  (probably spam: no notice was sent)' : ''
      const lines = message.trim().split(/\r?\n/)
      return [
        `${formatDateTime(createdAtMs)}  ${toOneLine(`${name} <${email}>`)}${mark}`,
        ...lines.map((line) => `  ${toOneLine(line)}`.trimEnd()),
      ].join('\n')
    })
    return { text: blocks.join('\n\n') || 'No messages yet.', json: rows }
  },
}

export const listEmailsCommand: ShopCommand = {
  summary: "emails that failed at least once and haven't been sent, including those given up on",
  async run(_input, ctx) {
    return toTable(
      await listStuckEmails(ctx),
      {
        Created: 'createdAtMs',
        Kind: 'kind',
        To: 'recipient',
        State: ({ status }) => (status === 'failed' ? 'given up' : 'retrying'),
        Attempts: 'attempts',
        'Next attempt': ({ status, nextAttemptAtMs }) =>
          formatDateTime(status === 'failed' ? null : nextAttemptAtMs),
        Reason: 'lastError',
      },
      'No emails are stuck.',
    )
  },
}
