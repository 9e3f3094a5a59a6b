import { asc, eq, or } from 'drizzle-orm'
import { eraseAccount } from '#server/accounts/delete-account.ts'
import { DELETED_USER_ID } from '#server/accounts/personal-data.ts'
import { users } from '#server/platform/db/schema.ts'
import { ToolError } from '../command.ts'
import type { ShopCommand } from './shop-command.ts'
import { moment, table } from './table.ts'

export const listAccounts: ShopCommand = {
  usage: 'accounts [list]',
  summary: 'every account, by its id: keep the list before a restore',
  words: [0, 0],
  async run(_input, { db }) {
    const { id, email, createdAtMs } = users
    const all = await db.select({ id, email, createdAtMs }).from(users).orderBy(asc(createdAtMs))
    const rows = all.filter((row) => row.id !== DELETED_USER_ID)
    const text = table(
      rows,
      [
        { heading: 'Id', text: (row) => row.id },
        { heading: 'Email', text: (row) => row.email },
        { heading: 'Opened', text: (row) => moment(row.createdAtMs) },
      ],
      'There are no accounts.',
    )
    return { text, json: rows }
  },
}

export const eraseAccountCommand: ShopCommand = {
  usage: 'accounts erase <id or email>',
  summary: 'deletes an account as its owner can: one that a restore brought back, or at its owner’s request',
  words: [1, 1],
  async run({ words: [word = ''] }, context) {
    const byIdOrEmail = or(eq(users.id, word), eq(users.email, word.trim().toLowerCase()))
    const user = await context.db.select().from(users).where(byIdOrEmail).get()
    if (!user || user.id === DELETED_USER_ID) throw new ToolError(`There is no account ${word}.`)
    const erased = await eraseAccount(user, context)
    if (!erased.ok) throw new ToolError(erased.error.message ?? `The account ${word} could not be erased.`)
    return {
      text: `The account ${user.id} is erased; its orders stay without the person.`,
      json: { id: user.id },
    }
  },
}
