import { asc } from 'drizzle-orm'
import { promotions } from '#server/db/schema.ts'
import { moment, money, table } from './table.ts'
import type { Verb } from './verb.ts'

type PromotionRow = typeof promotions.$inferSelect

export const listPromotions: Verb = {
  usage: 'promotions [list]',
  summary: 'every promo code with its terms and its uses',
  words: [0, 0],
  async run(_input, { db, clock }) {
    const rows = await db.select().from(promotions).orderBy(asc(promotions.code))
    const nowMs = clock()
    const text = table(
      rows,
      [
        { heading: 'Code', text: ({ code }) => code },
        { heading: 'State', text: (row) => stateOf(row, nowMs) },
        { heading: 'Takes off', text: takesOff, isFigure: true },
        {
          heading: 'Minimum',
          text: ({ minimumSubtotalCents }) => money(minimumSubtotalCents),
          isFigure: true,
        },
        {
          heading: 'Used',
          text: ({ uses, maxUses }) => (maxUses === null ? uses : `${uses} of ${maxUses}`),
          isFigure: true,
        },
        { heading: 'Starts', text: ({ startsAtMs }) => moment(startsAtMs) },
        { heading: 'Ends', text: ({ endsAtMs }) => moment(endsAtMs) },
      ],
      'There are no promotions.',
    )
    return { text, json: rows.map((row) => ({ ...row, state: stateOf(row, nowMs) })) }
  },
}

/** What a promotion is at a moment, in a word. */
export function stateOf({ startsAtMs, endsAtMs, maxUses, uses }: PromotionRow, nowMs: number) {
  if (endsAtMs !== null && nowMs >= endsAtMs) return 'ended'
  if (maxUses !== null && uses >= maxUses) return 'used up'
  if (startsAtMs !== null && nowMs < startsAtMs) return 'to come'
  return 'running'
}

/** What a promotion takes off, for people. */
export function takesOff({ kind, value }: Pick<PromotionRow, 'kind' | 'value'>): string {
  return kind === 'percent' ? `${value}%` : money(value)
}
