import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import type { CatalogueContext } from '#server/context.ts'
import { requireOwner } from '#server/platform/auth/owner-context.ts'
import { COMMAND_LINE } from '#server/platform/db/audit.ts'
import { connectDatabase } from '#server/platform/db/client.ts'
import { shop } from '#shared/shop.ts'
import { runTool, ToolError } from './command.ts'
import { migrate, openLocalDatabase } from './local-database.ts'
import { STATE_FOLDER } from './local-shop.ts'
import { eraseAccountCommand, listAccounts } from './shop/accounts.ts'
import { listActivity } from './shop/activity.ts'
import { printAlertKeys } from './shop/alerts.ts'
import { exportBooks, registerIncoming } from './shop/books.ts'
import { pullCatalogue, pushCatalogue } from './shop/catalogue.ts'
import { createOrderCommand } from './shop/create-order.ts'
import { blockCustomerCommand, listCustomersCommand, unblockCustomerCommand } from './shop/customers.ts'
import { editOrderCommand } from './shop/edit-order.ts'
import { dailyFigures } from './shop/figures.ts'
import { stuckMail } from './shop/mail.ts'
import { listMessages } from './shop/messages.ts'
import { changeStatus, listOrders, showOrder } from './shop/orders.ts'
import { listPayments, recordPaid, refundOrder } from './shop/payments.ts'
import { createPromotion, endPromotion, listPromotions } from './shop/promotions.ts'
import { databaseOver, remoteExecute, remoteStore } from './shop/remote-database.ts'
import { returnCommand } from './shop/returns.ts'
import type { ShopCommand } from './shop/shop-command.ts'
import { pageSpeed } from './shop/speed.ts'
import { listStock, lowStock, setStock } from './shop/stock.ts'

let close = async () => {}

async function open({ remote, environment }: DatabaseTarget) {
  const runtime = {
    clock: Date.now,
    randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
  }
  if (remote) {
    const db = connectDatabase(databaseOver(remoteExecute(environment)))
    return { ...runtime, db, catalogueStore: remoteStore(environment) }
  }
  const local = await openLocalDatabase(STATE_FOLDER)
  close = local.close
  await migrate(local.db)
  return { ...runtime, db: connectDatabase(local.db), catalogueStore: local.catalogueStore }
}

/** Topic → commands; the first is the default. */
const TOPICS: Record<string, Record<string, ShopCommand>> = {
  orders: {
    list: listOrders,
    show: showOrder,
    status: changeStatus,
    refund: refundOrder,
    create: createOrderCommand,
    edit: editOrderCommand,
    return: returnCommand,
  },
  messages: { list: listMessages },
  accounts: { list: listAccounts, erase: eraseAccountCommand },
  customers: { list: listCustomersCommand, block: blockCustomerCommand, unblock: unblockCustomerCommand },
  activity: { list: listActivity },
  catalogue: { push: pushCatalogue, pull: pullCatalogue },
  stock: { list: listStock, set: setStock, low: lowStock },
  promotions: { list: listPromotions, create: createPromotion, end: endPromotion },
  mail: { stuck: stuckMail },
  payments: { list: listPayments },
  refund: { order: refundOrder },
  paid: { order: recordPaid },
  figures: { day: dailyFigures },
  books: { export: exportBooks, register: registerIncoming },
  speed: { pages: pageSpeed },
  alerts: { keys: printAlertKeys },
}

const COMMANDS = [...new Set(Object.values(TOPICS).flatMap((commands) => Object.values(commands)))]

const COMMON_OPTIONS = {
  remote: { type: 'boolean' },
  env: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig

export type DatabaseTarget = { remote: boolean; environment: string }

/** Runs a command and returns its output. Calls `open` only for valid arguments. Throws ToolError. */
export async function runShop(
  argv: string[],
  open: (target: DatabaseTarget) => Promise<CatalogueContext>,
): Promise<string> {
  const { positionals, values } = parseArguments(argv)
  const [topic, ...rest] = positionals
  if (values.help || topic === undefined || topic === 'help') return help()
  const commands = TOPICS[topic]
  if (!commands)
    throw new ToolError(`Unknown topic "${topic}". Topics: ${Object.keys(TOPICS).join(', ')}, help.`)
  const named = commands[rest[0] ?? '']
  const command = named ?? Object.values(commands)[0]
  const words = named ? rest.slice(1) : rest
  if (!command || words.length < command.words[0] || words.length > command.words[1])
    throw usageError(commands)

  const { remote = false, env, json = false, ...options } = values
  if (env !== undefined && !remote) throw new ToolError('--env needs --remote.')
  const unsupported = Object.keys(options).find((name) => !command.options?.[name])
  if (unsupported) throw new ToolError(`--${unsupported} doesn't work here. Usage: ${command.usage}`)
  const target = { remote: remote === true, environment: String(env ?? 'production') }
  const context = requireOwner(COMMAND_LINE, await open(target))
  const output = await command.run({ words, options: options as Record<string, string> }, context)
  return json ? JSON.stringify(output.json, null, 2) : output.text
}

function parseArguments(argv: string[]) {
  const options: ParseArgsOptionsConfig = Object.assign(
    {},
    COMMON_OPTIONS,
    ...COMMANDS.map(({ options }) => options),
  )
  try {
    return parseArgs({ args: argv, options, allowPositionals: true })
  } catch (error) {
    const [reason = ''] = error instanceof Error ? error.message.split('. ') : []
    throw new ToolError(`${reason}. See: npm run shop -- help`)
  }
}

function usageError(commands: Record<string, ShopCommand>): ToolError {
  const usages = Object.values(commands).map(({ usage }) => `  npm run shop -- ${usage}`)
  return new ToolError(`Usage:\n${usages.join('\n')}`)
}

function help(): string {
  return [
    `Manage ${shop.name} from the terminal: npm run shop -- <command> [--remote] [--json]`,
    '',
    ...COMMANDS.map(({ usage, summary }) => `  ${usage}\n      ${summary}`),
    '',
    '  --remote   use the production database instead of the local one (--env chooses another environment)',
    '  --json     print JSON',
  ].join('\n')
}

// `npm run shop -- …`: the operator's commands.
if (import.meta.main) {
  await runTool(async () => {
    try {
      console.log(await runShop(process.argv.slice(2), open))
    } finally {
      await close()
    }
  })
}
