import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { shop } from '#shared/shop.ts'
import { ToolError } from '../command.ts'
import { dayFigures } from './figures-day.ts'
import { stuckMail } from './mail-stuck.ts'
import { listMessages } from './messages-list.ts'
import { listOrders } from './orders-list.ts'
import { showOrder } from './orders-show.ts'
import { changeStatus } from './orders-status.ts'
import { createPromotion } from './promotions-create.ts'
import { endPromotion } from './promotions-end.ts'
import { listPromotions } from './promotions-list.ts'
import type { ShopContext, Verb } from './verb.ts'

/** Topic → its verbs; the first one is meant where none is named. */
const TOPICS: Record<string, Record<string, Verb>> = {
  orders: { list: listOrders, show: showOrder, status: changeStatus },
  messages: { list: listMessages },
  promotions: { list: listPromotions, create: createPromotion, end: endPromotion },
  mail: { stuck: stuckMail },
  figures: { day: dayFigures },
}

const VERBS = Object.values(TOPICS).flatMap((verbs) => Object.values(verbs))

const EVERYWHERE = {
  remote: { type: 'boolean' },
  env: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig

/** Which database is meant; production's for `--remote` unless `--env` names another. */
export type Place = { remote: boolean; environment: string }

/**
 * Runs one command of an operator, given the words after `npm run shop --`, and returns what to print. `open` gets the
 * database only once the words make sense. Throws ToolError, a refusal in words.
 */
export async function runShop(argv: string[], open: (place: Place) => Promise<ShopContext>): Promise<string> {
  const { positionals, values } = parsed(argv)
  const [topic, ...rest] = positionals
  if (values.help || topic === undefined || topic === 'help') return help()
  const verbs = TOPICS[topic]
  if (!verbs)
    throw new ToolError(`There is no "${topic}". There are: ${Object.keys(TOPICS).join(', ')}, help.`)
  const named = verbs[rest[0] ?? '']
  const verb = named ?? Object.values(verbs)[0]
  const words = named ? rest.slice(1) : rest
  if (!verb || words.length < verb.words[0] || words.length > verb.words[1]) throw misused(verbs)

  const { remote = false, env, json = false, ...options } = values
  if (env !== undefined && !remote)
    throw new ToolError('--env names a remote database: it goes with --remote.')
  const foreign = Object.keys(options).find((name) => !verb.options?.[name])
  if (foreign) throw new ToolError(`--${foreign} does not belong here: ${verb.usage}`)
  const context = await open({ remote: remote === true, environment: String(env ?? 'production') })
  const answer = await verb.run({ words, options: options as Record<string, string> }, context)
  return json ? JSON.stringify(answer.json, null, 2) : answer.text
}

function parsed(argv: string[]) {
  const options: ParseArgsOptionsConfig = Object.assign(
    {},
    EVERYWHERE,
    ...VERBS.map(({ options }) => options),
  )
  try {
    return parseArgs({ args: argv, options, allowPositionals: true })
  } catch (error) {
    const [reason = ''] = error instanceof Error ? error.message.split('. ') : []
    throw new ToolError(`${reason}. What there is: npm run shop -- help`)
  }
}

function misused(verbs: Record<string, Verb>): ToolError {
  const usages = Object.values(verbs).map(({ usage }) => `  npm run shop -- ${usage}`)
  return new ToolError(`It is one of:\n${usages.join('\n')}`)
}

function help(): string {
  return [
    `${shop.name}'s records, from the terminal: npm run shop -- <command> [--remote] [--json]`,
    '',
    ...VERBS.map(({ usage, summary }) => `  ${usage}\n      ${summary}`),
    '',
    '  --remote   on the production database instead of this machine’s (--env names another environment)',
    '  --json     for scripts',
  ].join('\n')
}
