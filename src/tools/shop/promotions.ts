import { asc } from 'drizzle-orm'
import { COMMAND_LINE } from '#server/platform/db/audit.ts'
import { promotions } from '#server/platform/db/schema.ts'
import {
  createPromotion as create,
  endPromotion as end,
  formatDiscount,
  promotionState,
} from '#server/promotions/promotions.ts'
import { kshToCents } from '#shared/checkout/pricing.ts'
import { formatMoney } from '#shared/format.ts'
import { ToolError } from '../command.ts'
import { parseDay } from './day.ts'
import type { CommandInput, ShopCommand } from './shop-command.ts'
import { formatDateTime, formatDay, table } from './table.ts'

export const listPromotions: ShopCommand = {
  usage: 'promotions [list]',
  summary: 'every promo code with its terms and uses',
  words: [0, 0],
  async run(_input, { db, clock }) {
    const rows = await db.select().from(promotions).orderBy(asc(promotions.code))
    const nowMs = clock()
    const text = table(
      rows,
      {
        Code: ({ code }) => code,
        State: (row) => promotionState(row, nowMs),
        'Takes off': formatDiscount,
        Minimum: ({ minimumSubtotalCents }) => formatMoney(minimumSubtotalCents),
        Used: ({ uses, maxUses }) => (maxUses === null ? uses : `${uses} of ${maxUses}`),
        'Per account': ({ oncePerAccount }) => (oncePerAccount ? 'once' : ''),
        'First day': ({ startsAtMs }) => formatDay(startsAtMs),
        'Last day': ({ endsAtMs }) => formatLastDay(endsAtMs),
      },
      'No promo codes yet.',
    )
    return { text, json: rows.map((row) => ({ ...row, state: promotionState(row, nowMs) })) }
  },
}

export const createPromotion: ShopCommand = {
  usage:
    'promotions create <CODE> --percent 10 | --fixed 200 [--minimum 1500] [--from 2026-12-01] [--until 2026-12-31] [--uses 100] [--once]',
  summary:
    'create a promo code; amounts in KSH, first and last day included; --once: each account can use it once',
  words: [1, 1],
  options: {
    ...Object.fromEntries(
      ['percent', 'fixed', 'minimum', 'from', 'until', 'uses'].map((name) => [name, { type: 'string' }]),
    ),
    once: { type: 'boolean' },
  },
  async run(input, context) {
    const promotion = parsePromotion(input, context.clock())
    const created = await create({ promotion, actor: COMMAND_LINE }, context)
    if (!created.ok) {
      const { message, fieldErrors = {} } = created.error
      throw new ToolError(message ?? Object.values(fieldErrors).join(' '))
    }
    const { code, startsAtMs, endsAtMs } = created.data
    const from = startsAtMs === null ? '' : `, first day ${formatDay(startsAtMs)}`
    const until = endsAtMs === null ? '' : `, last day ${formatLastDay(endsAtMs)}`
    return {
      text: `Created ${code}: ${formatDiscount(created.data)} off${from}${until}.`,
      json: created.data,
    }
  },
}

function formatLastDay(endsAtMs: number | null): string {
  return formatDay(endsAtMs === null ? null : endsAtMs - 1)
}

function parsePromotion({ words: [word = ''], options }: CommandInput, nowMs: number) {
  const code = word.toUpperCase()
  const startsAtMs = options.from === undefined ? null : parseDay(options.from, nowMs).startMs
  const endsAtMs = options.until === undefined ? null : parseDay(options.until, nowMs).endMs
  return {
    code,
    ...parseDiscount(options),
    minimumSubtotalCents: options.minimum === undefined ? 0 : parseCents('minimum', options.minimum),
    startsAtMs,
    endsAtMs,
    oncePerAccount: options.once !== undefined,
    maxUses: options.uses === undefined ? null : parseWholeNumber('uses', options.uses, 1_000_000),
  }
}

function parseDiscount({ percent, fixed }: CommandInput['options']) {
  if (percent !== undefined && fixed === undefined)
    return { kind: 'percent' as const, value: parseWholeNumber('percent', percent, 100) }
  if (fixed !== undefined && percent === undefined)
    return { kind: 'fixed' as const, value: parseCents('fixed', fixed) }
  throw new ToolError('Choose the discount: either --percent 10 or --fixed 200 (KSH).')
}

function parseWholeNumber(name: string, word: string, max: number): number {
  const value = /^\d+$/.test(word) ? Number(word) : 0
  if (value >= 1 && value <= max) return value
  throw new ToolError(`--${name} must be a whole number from 1 to ${max}, not "${word}".`)
}

function parseCents(name: string, word: string): number {
  if (/^\d{1,7}(\.\d{1,2})?$/.test(word) && Number(word) > 0) return kshToCents(Number(word))
  throw new ToolError(`--${name} must be an amount in KSH such as 200, not "${word}".`)
}

export const endPromotion: ShopCommand = {
  usage: 'promotions end <CODE>',
  summary: 'end a promo code now',
  words: [1, 1],
  async run({ words: [word = ''] }, context) {
    const code = word.trim().toUpperCase()
    const ended = await end({ code, actor: COMMAND_LINE }, context)
    if (!ended.ok) {
      const { error } = ended
      if (error.code === 'promotion_unknown')
        throw new ToolError(`No code ${word}. List all: npm run shop -- promotions`)
      throw new ToolError(
        `The code ${code} already ended on ${formatDateTime(Number(error.details?.endsAtMs))}.`,
      )
    }
    const row = ended.data
    return {
      text: `Ended ${row.code}. It was used ${row.uses} ${row.uses === 1 ? 'time' : 'times'}.`,
      json: row,
    }
  },
}
