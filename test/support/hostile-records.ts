import { afterAll, describe, expect, it } from 'vitest'
import { contactMessages, orders, outbox, sessions, users } from '#server/platform/db/schema.ts'
import {
  callNames,
  containsSecret,
  ctx,
  escapeForReport,
  findProblem,
  ORDERS_BEFORE,
  requestCounts,
  shopper,
} from './hostile-calls.ts'

export async function expectDocumented(
  requests: Iterable<[name: string, init: RequestInit, query?: string]>,
): Promise<void> {
  const problems: string[] = []
  for (const request of requests) {
    const problem = await findProblem(...request)
    if (problem) problems.push(problem)
  }
  expect(problems.length, problems.slice(0, 8).join('\n')).toBe(0)
}

/** Call this last: it expects that at least `cases` hostile requests have been sent. */
export function testStoredRows(cases: number): void {
  describe('afterwards', () => {
    it('only successful requests are stored', async () => {
      const count = async (table: Parameters<typeof ctx.db.$count>[0]) => await ctx.db.$count(table)
      const { succeeded } = requestCounts
      expect(await count(users)).toBe(1 + (succeeded['POST /api/auth/register'] ?? 0))
      expect(await count(orders)).toBe(ORDERS_BEFORE + (succeeded['POST /api/orders'] ?? 0))
      expect(await count(contactMessages)).toBeLessThanOrEqual(succeeded['POST /api/contact'] ?? 0)
      const loginCounts = ['POST /api/auth/register', 'POST /api/auth/login'].map(
        (name) => succeeded[name] ?? 0,
      )
      expect(await count(sessions)).toBe(loginCounts.reduce((sum, n) => sum + n, 1))
      expect(callNames).toEqual(expect.arrayContaining(Object.keys(succeeded)))
      expect(succeeded).toMatchObject({
        'POST /api/auth/register': expect.any(Number),
        'POST /api/orders': expect.any(Number),
      })
    })

    it('no row contains a password, a control character in a line or a lone surrogate', async () => {
      const tables = { users: ctx.db.select().from(users), orders: ctx.db.select().from(orders) }
      for (const [table, query] of Object.entries(tables))
        for (const row of await query)
          for (const [column, value] of Object.entries(row)) {
            const text = String(value)
            const where = `${table}.${column}: ${escapeForReport(text)}`
            expect(text.isWellFormed() && !/\p{Cc}/u.test(text), where).toBe(true)
            expect(column !== 'passwordHash' && containsSecret(text), where).toBe(false)
          }
      for (const row of await ctx.db.select().from(contactMessages))
        for (const text of [row.name, row.email]) expect(text).not.toMatch(/\p{Cc}/u)
      for (const { recipient, replyTo, subject } of await ctx.db.select().from(outbox))
        for (const text of [recipient, replyTo ?? '', subject]) expect(text).not.toMatch(/\p{Cc}/u)
    })

    it('every order adds up, and every user was created by registration', async () => {
      for (const order of await ctx.db.select().from(orders)) {
        const { subtotalCents, discountCents, shippingCents, vatCents, totalCents } = order
        expect(
          Math.abs(subtotalCents - discountCents + shippingCents + vatCents - totalCents),
        ).toBeLessThanOrEqual(50)
        expect(order.userId).toBe(shopper.user.id)
        expect(['placed', 'cancelled', 'awaiting_payment', 'expired']).toContain(order.status)
      }
      for (const user of await ctx.db.select().from(users))
        if (user.id !== shopper.user.id) expect(user.passwordHash).toMatch(/^\$scrypt\$/)
    })
  })

  afterAll(() => {
    console.info(`${requestCounts.cases} hostile requests.`)
    expect(requestCounts.cases, 'hostile requests').toBeGreaterThanOrEqual(cases)
  })
}
