import { eq, sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { testContext } from '../../../../test/support/context.ts'
import { isOutage } from './client.ts'
import { failUnless, getGuardViolation } from './guards.ts'
import { promotions, providerTokens, stock } from './schema.ts'

const ctx = testContext()
const { db } = ctx
const token = (provider: string) =>
  db.insert(providerTokens).values({ provider, token: 'token', expiresAtMs: 1 })
const catchError = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('failUnless', () => {
  it('runs the batch if the condition holds', async () => {
    await db.batch([failUnless(sql`1 = 1`, 'orderChanged', ctx), token('valid')])
    expect(await db.select().from(providerTokens).where(eq(providerTokens.provider, 'valid'))).toHaveLength(1)
  })

  it.each([sql`1 = 2`, sql`null`])(
    'rejects the whole batch and names the guard if the condition does not hold',
    async (condition) => {
      const error = await catchError(
        db.batch([token('rejected'), failUnless(condition, 'promptLimitReached', ctx)]),
      )
      expect(getGuardViolation(error)).toEqual({ guard: 'promptLimitReached' })
      expect(isOutage(error)).toBe(false)
      expect(await db.select().from(providerTokens).where(eq(providerTokens.provider, 'rejected'))).toEqual(
        [],
      )
    },
  )

  it('sees the writes of earlier statements in the batch', async () => {
    const hasToken = sql`exists (select 1 from ${providerTokens} where ${providerTokens.provider} = 'earlier')`
    await db.batch([token('earlier'), failUnless(hasToken, 'orderChanged', ctx)])
  })
})

describe('getGuardViolation', () => {
  it('names the guard of a violated CHECK or unique index', async () => {
    const units = db.insert(stock).values({ itemId: 1, onHand: 1, reserved: 2 })
    expect(getGuardViolation(await catchError(db.batch([units])))).toEqual({ guard: 'outOfStock' })
    const promotion = { kind: 'fixed', value: 1, createdAtMs: 0 } as const
    const code = db.insert(promotions).values({ code: 'TWICE', ...promotion })
    expect(getGuardViolation(await catchError(db.batch([code, code])))).toEqual({
      guard: 'promotionCodeTaken',
    })
  })

  it('ignores constraints that are not guards', async () => {
    const error = await catchError(db.batch([token('same'), token('same')]))
    expect([getGuardViolation(error), isOutage(error)]).toEqual([undefined, false])
  })
})
