import { eq, or } from 'drizzle-orm'
import { DELETED_USER_ID } from '#server/accounts/personal-data.ts'
import type { DataContext } from '#server/context.ts'
import { blockCustomer, unblockCustomer } from '#server/customers/block-customer.ts'
import { listCustomers, searchCustomers } from '#server/customers/list-customers.ts'
import { COMMAND_LINE } from '#server/platform/db/audit.ts'
import { users } from '#server/platform/db/schema.ts'
import { errors } from '#shared/errors.ts'
import { ToolError } from '../command.ts'
import type { ShopCommand } from './shop-command.ts'
import { formatDateTime, table } from './table.ts'

export const listCustomersCommand: ShopCommand = {
  usage: 'customers [list] ["name, phone or email"]',
  summary: 'list customers by latest order, or search them',
  words: [0, 1],
  async run({ words: [query] }, context) {
    const rows = query
      ? await searchCustomers({ text: query }, context)
      : (await listCustomers({}, context)).customers
    const text = table(
      rows,
      {
        Id: ({ id }) => id,
        Name: ({ name }) => name,
        Email: ({ email }) => email,
        Phone: ({ phone }) => phone ?? '-',
        'Last order': ({ lastOrderAtMs }) => formatDateTime(lastOrderAtMs),
        Blocked: ({ isBlocked }) => (isBlocked ? 'yes' : ''),
      },
      'No customers match.',
    )
    return { text, json: rows }
  },
}

export const blockCustomerCommand: ShopCommand = {
  usage: 'customers block <id or email> [--reason "…"]',
  summary: 'refuse new orders from a customer',
  words: [1, 1],
  options: { reason: { type: 'string' } },
  async run({ words: [word = ''], options: { reason = '' } }, context) {
    const { id, email } = await findUser(word, context)
    const blocked = await blockCustomer({ id, reason, actor: COMMAND_LINE }, context)
    if (!blocked.ok) throw new ToolError(blocked.error.message ?? errors[blocked.error.code].message)
    return { text: `Blocked ${email}. New orders are refused.`, json: { id } }
  },
}

export const unblockCustomerCommand: ShopCommand = {
  usage: 'customers unblock <id or email>',
  summary: 'accept orders from a customer again',
  words: [1, 1],
  async run({ words: [word = ''] }, context) {
    const { id, email } = await findUser(word, context)
    const unblocked = await unblockCustomer({ id, actor: COMMAND_LINE }, context)
    if (!unblocked.ok) throw new ToolError(unblocked.error.message ?? errors[unblocked.error.code].message)
    return { text: `Unblocked ${email}.`, json: { id } }
  },
}

async function findUser(word: string, { db }: DataContext) {
  const byIdOrEmail = or(eq(users.id, word), eq(users.email, word.trim().toLowerCase()))
  const user = await db.select({ id: users.id, email: users.email }).from(users).where(byIdOrEmail).get()
  if (!user || user.id === DELETED_USER_ID) throw new ToolError(`No customer matches ${word}.`)
  return user
}
