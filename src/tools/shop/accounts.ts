import { eraseAccount } from '#server/accounts/delete-account.ts'
import { findAccount, listAccounts } from '#server/accounts/list-accounts.ts'
import { selectActivity } from '#server/platform/auth/activity.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { ACTIVITY_LABELS } from '#shared/accounts/account-forms.ts'
import { ToolError } from '../command.ts'
import { actor, parseLimit, type ShopCommand, toTable, unwrapResult } from './shop-command.ts'

export const listAccountsCommand: ShopCommand = {
  summary: 'every account by id; save the list before a restore',
  async run(_input, ctx) {
    const accounts = await listAccounts(ctx)
    return toTable(accounts, { Id: 'id', Email: 'email', Opened: 'createdAtMs' }, 'No accounts yet.')
  },
}

export const eraseAccountCommand: ShopCommand = {
  usage: '<id or email>',
  summary: "delete an account at its owner's request, or one that came back with a restore",
  async run({ positionals: [word = ''] }, ctx) {
    const { id } = await requireAccount(word, ctx)
    unwrapResult(await eraseAccount({ id, actor }, ctx))
    return {
      text: `Deleted account ${id}. Its orders stay in the books, without personal data.`,
      json: { id },
    }
  },
}

export const showActivityCommand: ShopCommand = {
  usage: '<id or email> [--limit 20]',
  summary: "an account's logins, password resets, and password and address changes, latest first",
  async run({ positionals: [word = ''], options: { limit } }, ctx) {
    const { id } = await requireAccount(word, ctx)
    return toTable(
      await selectActivity({ userId: id, limit: parseLimit(limit) }, ctx),
      { When: 'atMs', What: ({ kind }) => ACTIVITY_LABELS[kind], With: 'browser', From: 'country' },
      'No activity recorded.',
    )
  },
}

async function requireAccount(word: string, ctx: OwnerContext) {
  const account = await findAccount(word, ctx)
  if (!account) throw new ToolError(`No account matches "${word}". See: npm run shop -- accounts`)
  return account
}
