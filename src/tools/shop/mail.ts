import { listStuckEmails } from '#server/platform/email/stuck-emails.ts'
import type { ShopCommand } from './shop-command.ts'
import { formatDateTime, table } from './table.ts'

export const stuckMail: ShopCommand = {
  usage: 'mail [stuck]',
  summary: "emails that failed at least once and aren't delivered, or were given up",
  words: [0, 0],
  async run(_input, ctx) {
    const rows = await listStuckEmails(ctx)
    const text = table(
      rows,
      {
        Created: ({ createdAtMs }) => formatDateTime(createdAtMs),
        Kind: ({ kind }) => kind,
        To: ({ recipient }) => recipient,
        State: ({ status }) => (status === 'failed' ? 'given up' : 'retrying'),
        Attempts: ({ attempts }) => attempts,
        'Next attempt': ({ status, nextAttemptAtMs }) =>
          formatDateTime(status === 'failed' ? null : nextAttemptAtMs),
        Reason: ({ lastError }) => lastError ?? '-',
      },
      'No emails are stuck.',
    )
    return { text, json: rows }
  },
}
