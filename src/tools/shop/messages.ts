import { desc } from 'drizzle-orm'
import { contactMessages } from '#server/platform/db/schema.ts'
import { parseLimit, type ShopCommand } from './shop-command.ts'
import { formatDateTime, oneLine } from './table.ts'

export const listMessages: ShopCommand = {
  usage: 'messages [list] [--limit 20]',
  summary: 'messages from the contact form, latest first',
  words: [0, 0],
  options: { limit: { type: 'string' } },
  async run({ options }, { db }) {
    const rows = await db
      .select()
      .from(contactMessages)
      .orderBy(desc(contactMessages.createdAtMs))
      .limit(parseLimit(options.limit))
    const blocks = rows.map(({ createdAtMs, name, email, message, isSuspicious }) =>
      [
        `${formatDateTime(createdAtMs)}  ${oneLine(`${name} <${email}>`)}${isSuspicious ? '  (suspicious: no notice was sent)' : ''}`,
        ...message
          .trim()
          .split(/\r?\n/)
          .map((line) => `  ${oneLine(line)}`.trimEnd()),
      ].join('\n'),
    )
    return { text: blocks.join('\n\n') || 'No messages yet.', json: rows }
  },
}
