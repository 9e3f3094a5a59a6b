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
      [
        { heading: 'Written', text: ({ createdAtMs }) => formatDateTime(createdAtMs) },
        { heading: 'Kind', text: ({ kind }) => kind },
        { heading: 'To', text: ({ recipient }) => recipient },
        { heading: 'State', text: ({ status }) => (status === 'failed' ? 'given up' : 'retrying') },
        { heading: 'Tries', text: ({ attempts }) => attempts, isFigure: true },
        {
          heading: 'Next try',
          text: ({ status, nextAttemptAtMs }) => formatDateTime(status === 'failed' ? null : nextAttemptAtMs),
        },
        { heading: 'Reason', text: ({ lastError }) => lastError ?? '-' },
      ],
      'No emails are stuck.',
    )
    return { text, json: rows }
  },
}
