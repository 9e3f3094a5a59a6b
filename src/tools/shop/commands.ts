import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { readLatestCatalogue } from '#server/catalogue/catalogue-versions.ts'
import { requireOwner } from '#server/platform/auth/owner-context.ts'
import { connectDatabase } from '#server/platform/db/client.ts'
import { createDeliveryTerms } from '#shared/checkout/delivery.ts'
import { deliverySettings, shop } from '#shared/shop.ts'
import catalogueFile from '../../../public/Items.json' with { type: 'json' }
import { ToolError } from '../command.ts'
import {
  migrateDatabase,
  openLocalDatabase,
  openRemoteDatabase,
  type ShopDatabase,
} from '../local-database.ts'
import { STATE_FOLDER } from '../local-shop.ts'
import { eraseAccountCommand, listAccountsCommand, showActivityCommand } from './accounts.ts'
import { printAlertKeysCommand } from './alerts.ts'
import { exportBooksCommand, registerIncomingCommand } from './books.ts'
import { pullCatalogueCommand, pushCatalogueCommand } from './catalogue.ts'
import { createOrderCommand, editOrderCommand } from './change-order.ts'
import { listEmailsCommand, listMessagesCommand } from './messages.ts'
import { changeStatusCommand, listOrdersCommand, showOrderCommand } from './orders.ts'
import { listPaymentsCommand, recordPaymentCommand, requestRefundCommand } from './payments.ts'
import { createPromotionCommand, endPromotionCommand, listPromotionsCommand } from './promotions.ts'
import { showPageSpeedCommand, showSalesCommand } from './reports.ts'
import { changeReturnCommand } from './returns.ts'
import { actor, type CommandInput, type ShopCommand, type ShopContext } from './shop-command.ts'
import { listStockCommand, setStockCommand } from './stock.ts'

const COMMANDS: Record<string, ShopCommand> = {
  orders: listOrdersCommand,
  'orders show': showOrderCommand,
  'orders status': changeStatusCommand,
  'orders create': createOrderCommand,
  'orders edit': editOrderCommand,
  'orders return': changeReturnCommand,
  'orders refund': requestRefundCommand,
  payments: listPaymentsCommand,
  paid: recordPaymentCommand,
  stock: listStockCommand,
  'stock set': setStockCommand,
  promotions: listPromotionsCommand,
  'promotions create': createPromotionCommand,
  'promotions end': endPromotionCommand,
  messages: listMessagesCommand,
  emails: listEmailsCommand,
  figures: showSalesCommand,
  speed: showPageSpeedCommand,
  books: exportBooksCommand,
  'books register': registerIncomingCommand,
  'catalogue push': pushCatalogueCommand,
  'catalogue pull': pullCatalogueCommand,
  accounts: listAccountsCommand,
  'accounts erase': eraseAccountCommand,
  activity: showActivityCommand,
  'alerts keys': printAlertKeysCommand,
}

const COMMON_OPTIONS = { remote: { type: 'boolean' }, json: { type: 'boolean' } } as const

/** Calls `open` only if the arguments are valid. */
export async function runCommand(argv: string[], open: (isRemote: boolean) => Promise<ShopContext>) {
  const [topic = 'help', second = ''] = argv
  if (topic === 'help' || argv.some((word) => ['--help', '-h'].includes(word))) return formatHelp()
  const name = [`${topic} ${second}`, topic].find((candidate) => Object.hasOwn(COMMANDS, candidate))
  const command = COMMANDS[name ?? '']
  if (!name || !command) throw new ToolError(`Unknown command "${topic}". See: npm run shop -- help`)
  const usage = `Usage: npm run shop -- ${formatUsage(name, command)}`
  const { words, options } = parseParameters(command)
  const { positionals, values } = parseArguments(argv.slice(name.split(' ').length), options, usage)
  if (positionals.length < words.min || positionals.length > words.max) throw new ToolError(usage)
  const { remote, json, ...commandOptions } = values
  const context = await open(remote !== undefined)
  const output = await command.run({ positionals, options: commandOptions }, context)
  return json ? JSON.stringify(output.json, null, 2) : output.text
}

/**
 * Parses a usage text: `<word>` is required, `[<word>]` is optional, and an option without a value, such as `[--done]`,
 * is a flag.
 */
function parseParameters({ usage = '' }: ShopCommand) {
  const words = [...usage.matchAll(/(\[?)<[^>]+>/g)]
  const options = [...usage.matchAll(/--([\w-]+)(\]?)/g)].map(([, name = '', bracket]) => [
    name,
    { type: bracket ? 'boolean' : 'string' },
  ])
  return {
    words: { min: words.filter(([, bracket]) => !bracket).length, max: words.length },
    options: Object.fromEntries(options) as ParseArgsOptionsConfig,
  }
}

/** The value of a flag is the text `true`. */
function parseArguments(args: string[], options: ParseArgsOptionsConfig, usage: string) {
  try {
    const parsed = parseArgs({ args, options: { ...COMMON_OPTIONS, ...options }, allowPositionals: true })
    const values = Object.entries(parsed.values).map(([name, value]) => [name, String(value)])
    return { ...parsed, values: Object.fromEntries(values) as CommandInput['options'] }
  } catch (error) {
    const [reason = ''] = error instanceof Error ? error.message.split('. ') : []
    throw new ToolError(`${reason}. ${usage}`)
  }
}

function formatUsage(name: string, { usage }: ShopCommand): string {
  return usage ? `${name} ${usage}` : name
}

function formatHelp(): string {
  return [
    `Manage ${shop.name} from the terminal: npm run shop -- <command> [--remote] [--json]`,
    '',
    ...Object.entries(COMMANDS).map(
      ([name, command]) => `  ${formatUsage(name, command)}\n      ${command.summary}`,
    ),
    '',
    '  --remote   use the production database instead of the local one',
    '  --json     print JSON',
  ].join('\n')
}

export function createShopContext({ db, catalogueStore }: Omit<ShopDatabase, 'close'>, clock = Date.now) {
  const context = {
    db: connectDatabase(db),
    catalogueStore,
    clock,
    randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
    shop: { fetch: async () => Response.json(catalogueFile) },
  }
  const catalogue = { load: () => readLatestCatalogue(context) }
  return requireOwner(actor, { ...context, catalogue, delivery: createDeliveryTerms(deliverySettings) })
}

export async function main(): Promise<void> {
  let close = async () => {}
  try {
    const output = await runCommand(process.argv.slice(2), async (isRemote) => {
      const database = await (isRemote ? openRemoteDatabase() : openLocalDatabase(STATE_FOLDER))
      close = database.close
      if (!isRemote) await migrateDatabase(database.db)
      return createShopContext(database)
    })
    console.log(output)
  } finally {
    await close()
  }
}
