import { stuckMails } from '#server/platform/email/stuck-emails.ts'
import type { ShopCommand } from './shop-command.ts'
import { moment, table } from './table.ts'

export const stuckMail: ShopCommand = {
  usage: 'mail [stuck]',
  summary: "emails that failed at least once and aren't delivered, or were given up",
  words: [0, 0],
  async run(_input, ctx) {
    const rows = await stuckMails(ctx)
    const text = table(
      rows,
      [
        { heading: 'Written', text: ({ createdAtMs }) => moment(createdAtMs) },
        { heading: 'Kind', text: ({ kind }) => kind },
        { heading: 'To', text: ({ recipient }) => recipient },
        { heading: 'State', text: ({ status }) => (status === 'failed' ? 'given up' : 'retrying') },
        { heading: 'Tries', text: ({ attempts }) => attempts, isFigure: true },
        {
          heading: 'Next try',
          text: ({ status, nextAttemptAtMs }) => moment(status === 'failed' ? null : nextAttemptAtMs),
        },
        { heading: 'Reason', text: ({ lastError }) => lastError ?? '-' },
      ],
      'No emails are stuck.',
    )
    return { text, json: rows }
  },
}
