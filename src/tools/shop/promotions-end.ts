import { eq } from 'drizzle-orm'
import { promotions } from '#server/db/schema.ts'
import { ToolError } from '../command.ts'
import { moment } from './table.ts'
import type { Verb } from './verb.ts'

export const endPromotion: Verb = {
  usage: 'promotions end <CODE>',
  summary: 'ends a promo code now',
  words: [1, 1],
  async run({ words: [word = ''] }, { db, clock }) {
    const nowMs = clock()
    const isIt = eq(promotions.code, word.toUpperCase())
    const row = await db.select().from(promotions).where(isIt).get()
    if (!row) throw new ToolError(`There is no code ${word}. All of them: npm run shop -- promotions`)
    if (row.endsAtMs !== null && row.endsAtMs <= nowMs)
      throw new ToolError(`The code ${row.code} ended on ${moment(row.endsAtMs)} already.`)
    await db.update(promotions).set({ endsAtMs: nowMs }).where(isIt)
    return {
      text: `${row.code} has ended; it was used ${row.uses} ${row.uses === 1 ? 'time' : 'times'}.`,
      json: { ...row, endsAtMs: nowMs },
    }
  },
}
