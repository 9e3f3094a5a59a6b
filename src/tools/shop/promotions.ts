import { listPromotions } from '#server/promotions/list-promotions.ts'
import {
  createPromotion,
  endPromotion,
  formatDiscount,
  getPromotionState,
} from '#server/promotions/promotions.ts'
import { kshToCents } from '#shared/format.ts'
import { ToolError } from '../command.ts'
import { actor, parseDay, parseWholeNumber, type ShopCommand, toTable, unwrapResult } from './shop-command.ts'
import { formatDay } from './table.ts'

export const listPromotionsCommand: ShopCommand = {
  summary: 'every promo code with its terms and uses',
  async run(_input, ctx) {
    const rows = await listPromotions(ctx)
    return toTable(
      rows.map((row) => ({ ...row, state: getPromotionState(row, ctx.clock()) })),
      {
        Code: 'code',
        State: 'state',
        Discount: formatDiscount,
        Minimum: 'minimumSubtotalCents',
        Used: ({ uses, maxUses }) => (maxUses === null ? uses : `${uses} of ${maxUses}`),
        'Per account': ({ oncePerAccount }) => (oncePerAccount ? 'once' : ''),
        'First day': ({ startsAtMs }) => formatDay(startsAtMs),
        'Last day': ({ endsAtMs }) => formatLastDay(endsAtMs),
      },
      'No promo codes yet.',
    )
  },
}

export const createPromotionCommand: ShopCommand = {
  usage:
    '<CODE> --percent 10 | --fixed 200 [--minimum 1500] [--from 2026-12-01] [--until 2026-12-31] [--uses 100] [--once]',
  summary:
    'create a promo code; amounts in KSH, first and last day included; --once: each account can use it once',
  async run({ positionals: [code = ''], options }, ctx) {
    const { percent, fixed, minimum, from, until, uses, once } = options
    const promotion = {
      code,
      ...parseDiscount(percent, fixed),
      minimumSubtotalCents: minimum === undefined ? 0 : parseCents('minimum', minimum),
      startsAtMs: from === undefined ? null : parseDay(from, ctx.clock()).startMs,
      endsAtMs: until === undefined ? null : parseDay(until, ctx.clock()).endMs,
      oncePerAccount: once !== undefined,
      maxUses: uses === undefined ? null : parseWholeNumber('uses', uses, 1_000_000),
    }
    const created = unwrapResult(await createPromotion({ promotion, actor }, ctx))
    const terms = [
      `${formatDiscount(created)} off`,
      ...(created.startsAtMs === null ? [] : [`first day ${formatDay(created.startsAtMs)}`]),
      ...(created.endsAtMs === null ? [] : [`last day ${formatLastDay(created.endsAtMs)}`]),
    ]
    return { text: `Created ${created.code}: ${terms.join(', ')}.`, json: created }
  },
}

function formatLastDay(endsAtMs: number | null): string {
  return formatDay(endsAtMs === null ? null : endsAtMs - 1)
}

function parseDiscount(percent: string | undefined, fixed: string | undefined) {
  if (percent !== undefined && fixed === undefined)
    return { kind: 'percent' as const, value: parseWholeNumber('percent', percent, 100) }
  if (fixed !== undefined && percent === undefined)
    return { kind: 'fixed' as const, value: parseCents('fixed', fixed) }
  throw new ToolError('Choose the discount: either --percent 10 or --fixed 200 (KSH).')
}

function parseCents(name: string, text: string): number {
  if (/^\d{1,7}(\.\d{1,2})?$/.test(text) && Number(text) > 0) return kshToCents(Number(text))
  throw new ToolError(`--${name} must be an amount in KSH such as 200, not "${text}".`)
}

export const endPromotionCommand: ShopCommand = {
  usage: '<CODE>',
  summary: 'end a promo code now',
  async run({ positionals: [code = ''] }, ctx) {
    const ended = unwrapResult(await endPromotion({ code, actor }, ctx))
    const times = ended.uses === 1 ? 'time' : 'times'
    return { text: `Ended ${ended.code}. It was used ${ended.uses} ${times}.`, json: ended }
  },
}
