import { eq, sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { testContext } from '../../../../test/support/context.ts'
import { isOutage } from './client.ts'
import { failUnless, guardViolation } from './guards.ts'
import { promotions, providerTokens, stock } from './schema.ts'

const ctx = testContext()
const { db } = ctx
const token = (provider: string) =>
  db.insert(providerTokens).values({ provider, token: 'token', expiresAtMs: 1 })
const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a guard in a batch', () => {
  it('lets the batch through while its condition holds', async () => {
    await db.batch([failUnless(sql`1 = 1`, 'orderChanged', ctx), token('held')])
    expect(await db.select().from(providerTokens).where(eq(providerTokens.provider, 'held'))).toHaveLength(1)
  })

  it.each([sql`1 = 2`, sql`null`])(
    'refuses the whole batch, by name, when its condition does not hold',
    async (condition) => {
      const error = await errorOf(
        db.batch([token('refused'), failUnless(condition, 'promptLimitReached', ctx)]),
      )
      expect(guardViolation(error)).toEqual({ guard: 'promptLimitReached' })
      expect(isOutage(error)).toBe(false)
      expect(await db.select().from(providerTokens).where(eq(providerTokens.provider, 'refused'))).toEqual([])
    },
  )

  it('sees what the statements before it have written', async () => {
    const hasToken = sql`exists (select 1 from ${providerTokens} where ${providerTokens.provider} = 'earlier')`
    await db.batch([token('earlier'), failUnless(hasToken, 'orderChanged', ctx)])
  })
})

describe('a violated constraint', () => {
  it('is named by its guard where a CHECK or a unique index enforces it', async () => {
    const units = db.insert(stock).values({ itemId: 1, onHand: 1, held: 2 })
    expect(guardViolation(await errorOf(db.batch([units])))).toEqual({ guard: 'outOfStock' })
    const terms = { kind: 'fixed', value: 1, createdAtMs: 0 } as const
    const code = db.insert(promotions).values({ code: 'TWICE', ...terms })
    expect(guardViolation(await errorOf(db.batch([code, code])))).toEqual({ guard: 'promotionCodeTaken' })
  })

  it('is no guard where no rule of the shop stands behind it', async () => {
    const error = await errorOf(db.batch([token('same'), token('same')]))
    expect([guardViolation(error), isOutage(error)]).toEqual([undefined, false])
  })
})
