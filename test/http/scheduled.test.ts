import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { eq, sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import type { Bindings } from '#server/env.ts'
import { getIdPrefixForRun, ROWS_PER_RUN, runHousekeeping } from '#server/housekeeping.ts'
import { newId } from '#server/platform/crypto.ts'
import {
  accountEvents,
  attemptCounts,
  contactMessages,
  orders,
  outbox,
  passwordResets,
  sessions,
  users,
} from '#server/platform/db/schema.ts'
import { toOutboxRow } from '#server/platform/email/outbox.ts'
import worker from '#server/worker.ts'
import { DAY_MS } from '#shared/time.ts'
import { createAccount, createSession } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { operatorEmail } from '#test/support/operator-email.ts'
import { orderRequest, postOrder } from '#test/support/orders.ts'
import { createMpesaPayment } from '#test/support/payments.ts'

async function newUser(): Promise<string> {
  const ctx = testContext()
  const id = newId(ctx)
  await ctx.db
    .insert(users)
    .values({ id, email: `${id}@example.com`, name: '', passwordHash: '', createdAtMs: NOW_MS })
  return id
}

describe('the scheduled run', () => {
  it("delivers emails through the Worker's own handler and binding", async () => {
    const ctx = testContext()
    const row = toOutboxRow(operatorEmail, ctx)
    await ctx.db.insert(outbox).values({ ...row, nextAttemptAtMs: Date.now() - 1 })
    const bindings = { ...env, ASSETS: { fetch } } as unknown as Bindings
    await worker.scheduled(createScheduledController({ cron: '*/5 * * * *' }), bindings)
    const [after] = await ctx.db.select().from(outbox).where(eq(outbox.id, row.id))
    expect(after).toMatchObject({ status: 'sent', attempts: 1 })
  })

  it('continues after a failed step, and then reports the failure', async () => {
    const ctx = testContext()
    const payment = createMpesaPayment()
    await postOrder(ctx, await createAccount(ctx), orderRequest([{ id: 1, qty: 1 }], { payment }))
    await ctx.db.run(
      sql`CREATE TRIGGER fail_expiry BEFORE UPDATE ON orders BEGIN SELECT raise(abort, 'not expired'); END`,
    )
    const row = toOutboxRow(operatorEmail, ctx)
    await ctx.db.insert(outbox).values(row)
    const clock = () => NOW_MS + DAY_MS
    await expect(runHousekeeping({ ...ctx, clock })).rejects.toMatchObject({
      cause: { message: expect.stringContaining('not expired') },
    })
    const [after] = await ctx.db.select().from(outbox).where(eq(outbox.id, row.id))
    expect(after?.status).toBe('sent')
    await ctx.db.run(sql`DROP TRIGGER fail_expiry`)
    await runHousekeeping({ ...ctx, clock })
  })

  it('deletes expired sessions only', async () => {
    const ctx = testContext()
    const userId = await newUser()
    const session = (id: string, expiresAtMs: number) => ({
      id,
      userId,
      cookieHash: `cookie ${id}`,
      tokenHash: `token ${id}`,
      createdAtMs: NOW_MS,
      expiresAtMs,
    })
    await ctx.db.insert(sessions).values([session('expired', NOW_MS - 1), session('live', NOW_MS + 1)])
    await runHousekeeping(ctx)
    const remainingSessions = await ctx.db.select().from(sessions).where(eq(sessions.userId, userId))
    expect(remainingSessions.map(({ id }) => id)).toEqual(['live'])
  })

  it('keeps an expired reset code for a week, so that its link can say that it has expired', async () => {
    const ctx = testContext()
    const userId = await newUser()
    const reset = (codeHash: string, expiresAtMs: number) => ({
      codeHash,
      userId,
      createdAtMs: NOW_MS - 30 * DAY_MS,
      expiresAtMs,
    })
    await ctx.db
      .insert(passwordResets)
      .values([reset('ancient', NOW_MS - 8 * DAY_MS), reset('recent', NOW_MS - DAY_MS)])
    await runHousekeeping(ctx)
    const remainingResets = await ctx.db
      .select()
      .from(passwordResets)
      .where(eq(passwordResets.userId, userId))
    expect(remainingResets.map(({ codeHash }) => codeHash)).toEqual(['recent'])
  })

  it('deletes emails, messages and account events only past their retention period', async () => {
    const ctx = testContext()
    const { db } = ctx
    const createEmail = (status: 'sent' | 'failed', days: number) => {
      const at = NOW_MS - days * DAY_MS
      const sentAtMs = status === 'sent' ? at : null
      return { ...toOutboxRow(operatorEmail, ctx), createdAtMs: at, nextAttemptAtMs: at, status, sentAtMs }
    }
    const emails = [
      createEmail('sent', 91),
      createEmail('failed', 181),
      createEmail('sent', 89),
      createEmail('failed', 179),
    ]
    await db.insert(outbox).values(emails)
    const message = (id: string, days: number) => ({
      id,
      name: 'Amina',
      email: 'amina@shopper.test',
      message: 'Habari',
      createdAtMs: NOW_MS - days * DAY_MS,
    })
    await db.insert(contactMessages).values([message('old', 366), message('recent', 364)])
    const userId = await newUser()
    const event = (id: string, days: number) =>
      ({ id, userId, kind: 'signed_in', atMs: NOW_MS - days * DAY_MS }) as const
    await db.insert(accountEvents).values([event('old', 181), event('recent', 179)])
    await runHousekeeping(ctx)

    const remainingIds = (await db.select({ id: outbox.id }).from(outbox)).map(({ id }) => id)
    expect(emails.map(({ id }) => remainingIds.includes(id))).toEqual([false, false, true, true])
    const messages = await db.select({ id: contactMessages.id }).from(contactMessages)
    expect(messages).toEqual([{ id: 'recent' }])
    const events = await db.select().from(accountEvents).where(eq(accountEvents.userId, userId))
    expect(events.map(({ id }) => id)).toEqual(['recent'])
  })

  it('deletes a limited number of rows per run', async () => {
    const ctx = testContext()
    const rows = Array.from({ length: ROWS_PER_RUN + 1 }, (_, index) => ({
      key: `key ${index}`,
      attempts: 1,
      lastAtMs: NOW_MS - 2 * DAY_MS,
    }))
    for (let from = 0; from < rows.length; from += 30)
      await ctx.db.insert(attemptCounts).values(rows.slice(from, from + 30))
    await runHousekeeping(ctx)
    expect(await ctx.db.$count(attemptCounts)).toBe(1)
    await runHousekeeping(ctx)
    expect(await ctx.db.$count(attemptCounts)).toBe(0)
  })

  it('deletes accounts over a year old that were never confirmed, used or ordered from', async () => {
    const ctx = testContext()
    const old = testContext({ clock: () => NOW_MS - 366 * DAY_MS })
    const examinedInThisRun = () => ({ id: getIdPrefixForRun(NOW_MS) + newId(ctx), emailVerifiedAtMs: null })
    const unused = await createAccount(old, examinedInThisRun())
    const confirmed = await createAccount(old, { ...examinedInThisRun(), emailVerifiedAtMs: 0 })
    const ordered = await createAccount(old, examinedInThisRun())
    await postOrder(old, ordered, orderRequest())
    const used = await createAccount(old, examinedInThisRun())
    await createSession(ctx, used.user)
    const young = await createAccount(
      testContext({ clock: () => NOW_MS - 364 * DAY_MS }),
      examinedInThisRun(),
    )
    await runHousekeeping(ctx)
    const exists = async ({ user }: typeof used) => (await ctx.db.$count(users, eq(users.id, user.id))) === 1
    expect(await exists(unused)).toBe(false)
    for (const person of [confirmed, ordered, used, young]) expect(await exists(person)).toBe(true)
    const prefixes = Array.from({ length: 64 ** 2 }, (_, run) => getIdPrefixForRun(NOW_MS + run * 300_000))
    expect(new Set(prefixes).size, 'each account is examined within two weeks').toBe(64 ** 2)
  })

  it('erases personal data from delivered orders after six years', async () => {
    const ctx = testContext()
    const placeOrderDaysAgo = async (days: number, status: 'delivered' | 'shipped') => {
      const then = testContext({ clock: () => NOW_MS - days * DAY_MS })
      const { body } = await postOrder(then, await createAccount(then), orderRequest())
      const byNumber = eq(orders.number, body.order.number)
      await ctx.db.update(orders).set({ status }).where(byNumber)
      return byNumber
    }
    const old = await placeOrderDaysAgo(2192, 'delivered')
    const others = [await placeOrderDaysAgo(2190, 'delivered'), await placeOrderDaysAgo(2192, 'shipped')]
    await runHousekeeping(ctx)
    const [order] = await ctx.db.select().from(orders).where(old)
    expect(order).toMatchObject({ firstName: '', email: '', address: '', zip: '', state: 'Nairobi' })
    expect(order?.totalCents).toBeGreaterThan(0)
    for (const byNumber of others)
      expect((await ctx.db.select().from(orders).where(byNumber))[0]).toMatchObject({ firstName: 'Wanjiru' })
  })
})
