import { desc, eq } from 'drizzle-orm'
import { accountEvents, users } from '#server/platform/db/schema.ts'
import { ACTIVITY_LABELS } from '#shared/accounts/account-forms.ts'
import { emailIdentity } from '#shared/accounts/auth-forms.ts'
import { ToolError } from '../command.ts'
import { parseLimit, type ShopCommand } from './shop-command.ts'
import { formatDateTime, table } from './table.ts'

export const listActivity: ShopCommand = {
  usage: 'activity <email> [--limit 20]',
  summary: "an account's logins, resets and changes of password and address, latest first",
  words: [1, 1],
  options: { limit: { type: 'string' } },
  async run({ words: [email = ''], options }, { db }) {
    const [account] = await db
      .select({ id: users.id })
      .from(users)
      .where(eq(users.email, emailIdentity(email)))
    if (!account) throw new ToolError(`No account has the email ${email}.`)
    const rows = await db
      .select()
      .from(accountEvents)
      .where(eq(accountEvents.userId, account.id))
      .orderBy(desc(accountEvents.atMs))
      .limit(parseLimit(options.limit))
    const text = table(
      rows,
      {
        When: ({ atMs }) => formatDateTime(atMs),
        What: ({ kind }) => ACTIVITY_LABELS[kind],
        With: ({ browser }) => browser ?? '-',
        From: ({ country }) => country ?? '-',
      },
      'No activity recorded.',
    )
    return { text, json: rows }
  },
}
