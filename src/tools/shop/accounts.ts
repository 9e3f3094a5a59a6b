import { asc, desc, eq, ne, or } from 'drizzle-orm'
import { eraseAccount } from '#server/accounts/delete-account.ts'
import { DELETED_USER_ID } from '#server/accounts/personal-data.ts'
import { accountEvents, users } from '#server/platform/db/schema.ts'
import { ACTIVITY_LABELS } from '#shared/accounts/account-forms.ts'
import { emailIdentity } from '#shared/accounts/auth-forms.ts'
import { ToolError } from '../command.ts'
import {
  actor,
  listing,
  parseLimit,
  type ShopCommand,
  type ShopContext,
  unwrapResult,
} from './shop-command.ts'
import { formatDateTime } from './table.ts'

export const listAccounts: ShopCommand = {
  summary: 'list every account by id; save the list before a restore',
  async run(_input, { db }) {
    const rows = await db
      .select({ id: users.id, email: users.email, createdAtMs: users.createdAtMs })
      .from(users)
      .where(ne(users.id, DELETED_USER_ID))
      .orderBy(asc(users.createdAtMs))
    return listing(
      rows,
      {
        Id: ({ id }) => id,
        Email: ({ email }) => email,
        Opened: ({ createdAtMs }) => formatDateTime(createdAtMs),
      },
      'No accounts yet.',
    )
  },
}

export const eraseAccountCommand: ShopCommand = {
  takes: '<id or email>',
  summary: "delete an account at its owner's request, or one that came back with a restore",
  async run({ words: [word = ''] }, ctx) {
    const { id } = await findUser(word, ctx)
    unwrapResult(await eraseAccount({ id, actor }, ctx))
    return { text: `Deleted account ${id}. Its orders stay, without personal data.`, json: { id } }
  },
}

export const showActivity: ShopCommand = {
  takes: '<id or email> [--limit 20]',
  summary: "an account's logins, password resets, and password and address changes, latest first",
  async run({ words: [word = ''], options: { limit } }, ctx) {
    const { id } = await findUser(word, ctx)
    const rows = await ctx.db
      .select()
      .from(accountEvents)
      .where(eq(accountEvents.userId, id))
      .orderBy(desc(accountEvents.atMs))
      .limit(parseLimit(limit))
    return listing(
      rows,
      {
        When: ({ atMs }) => formatDateTime(atMs),
        What: ({ kind }) => ACTIVITY_LABELS[kind],
        With: ({ browser }) => browser ?? '-',
        From: ({ country }) => country ?? '-',
      },
      'No activity recorded.',
    )
  },
}

async function findUser(word: string, { db }: ShopContext) {
  const byIdOrEmail = or(eq(users.id, word), eq(users.email, emailIdentity(word)))
  const user = await db.select({ id: users.id }).from(users).where(byIdOrEmail).get()
  if (!user || user.id === DELETED_USER_ID) throw new ToolError(`No account matches ${word}.`)
  return user
}
