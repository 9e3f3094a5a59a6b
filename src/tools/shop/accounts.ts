import { asc, eq, or } from 'drizzle-orm'
import { eraseAccount } from '#server/accounts/delete-account.ts'
import { DELETED_USER_ID } from '#server/accounts/personal-data.ts'
import { COMMAND_LINE } from '#server/platform/db/audit.ts'
import { users } from '#server/platform/db/schema.ts'
import { ToolError } from '../command.ts'
import type { ShopCommand } from './shop-command.ts'
import { formatDateTime, table } from './table.ts'

export const listAccounts: ShopCommand = {
  usage: 'accounts [list]',
  summary: 'list every account by id; save the list before a restore',
  words: [0, 0],
  async run(_input, { db }) {
    const { id, email, createdAtMs } = users
    const all = await db.select({ id, email, createdAtMs }).from(users).orderBy(asc(createdAtMs))
    const rows = all.filter((row) => row.id !== DELETED_USER_ID)
    const text = table(
      rows,
      {
        Id: (row) => row.id,
        Email: (row) => row.email,
        Opened: (row) => formatDateTime(row.createdAtMs),
      },
      'No accounts yet.',
    )
    return { text, json: rows }
  },
}

export const eraseAccountCommand: ShopCommand = {
  usage: 'accounts erase <id or email>',
  summary: 'delete an account at its owner’s request, or one that a restore brought back',
  words: [1, 1],
  async run({ words: [word = ''] }, context) {
    const byIdOrEmail = or(eq(users.id, word), eq(users.email, word.trim().toLowerCase()))
    const user = await context.db.select().from(users).where(byIdOrEmail).get()
    if (!user || user.id === DELETED_USER_ID) throw new ToolError(`No account matches ${word}.`)
    const erased = await eraseAccount({ id: user.id, actor: COMMAND_LINE }, context)
    if (!erased.ok) throw new ToolError(erased.error.message ?? `Couldn't delete account ${word}.`)
    return {
      text: `Deleted account ${user.id}. Its orders stay, without personal data.`,
      json: { id: user.id },
    }
  },
}
