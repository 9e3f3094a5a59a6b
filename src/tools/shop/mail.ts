import { and, asc, eq, getTableColumns, gt, or } from 'drizzle-orm'
import { outbox } from '#server/db/schema.ts'
import type { ShopCommand } from './shop-command.ts'
import { moment, table } from './table.ts'

/** All but the mail itself. */
const { html: _html, text: _text, ...columns } = getTableColumns(outbox)

export const stuckMail: ShopCommand = {
  usage: 'mail [stuck]',
  summary: 'mail that failed at least once and is not delivered yet, or was given up',
  words: [0, 0],
  async run(_input, { db }) {
    const rows = await db
      .select(columns)
      .from(outbox)
      .where(or(eq(outbox.status, 'failed'), and(eq(outbox.status, 'pending'), gt(outbox.attempts, 0))))
      .orderBy(asc(outbox.createdAtMs))
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
      'No mail is stuck.',
    )
    return { text, json: rows }
  },
}
