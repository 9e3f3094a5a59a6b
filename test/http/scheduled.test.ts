import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { newId } from '#server/crypto.ts'
import { outbox, passwordResets, sessions, users } from '#server/db/schema.ts'
import type { Bindings } from '#server/env.ts'
import { outboxRow } from '#server/mail/outbox.ts'
import { runHousekeeping } from '#server/services/housekeeping/run.ts'
import worker from '#server/worker.ts'
import { contactNotice } from '#test/support/contact-notice.ts'
import { NOW_MS, testDeps } from '#test/support/deps.ts'

const DAY_MS = 86_400_000

async function newUser(): Promise<string> {
  const deps = testDeps()
  const id = newId(deps)
  await deps.db
    .insert(users)
    .values({ id, email: `${id}@example.com`, name: '', passwordHash: '', createdAtMs: NOW_MS })
  return id
}

describe('the scheduled run', () => {
  it("delivers through the Worker's own handler and binding", async () => {
    const deps = testDeps()
    const row = outboxRow(contactNotice, deps)
    await deps.db.insert(outbox).values({ ...row, nextAttemptAtMs: Date.now() - 1 })
    const bindings = { ...env, ASSETS: { fetch } } as unknown as Bindings
    await worker.scheduled(createScheduledController({ cron: '*/5 * * * *' }), bindings)
    const [after] = await deps.db.select().from(outbox).where(eq(outbox.id, row.id))
    expect(after).toMatchObject({ status: 'sent', attempts: 1 })
  })

  it('ends sessions that are over and keeps the others', async () => {
    const deps = testDeps()
    const userId = await newUser()
    const session = (id: string, expiresAtMs: number) => ({
      id,
      userId,
      cookieHash: `cookie ${id}`,
      tokenHash: `token ${id}`,
      createdAtMs: NOW_MS,
      expiresAtMs,
    })
    await deps.db.insert(sessions).values([session('over', NOW_MS - 1), session('open', NOW_MS + 1)])
    await runHousekeeping(deps)
    const left = await deps.db.select().from(sessions).where(eq(sessions.userId, userId))
    expect(left.map(({ id }) => id)).toEqual(['open'])
  })

  it('keeps a reset code for a week after its end, so that its link can say so', async () => {
    const deps = testDeps()
    const userId = await newUser()
    const reset = (codeHash: string, expiresAtMs: number) => ({
      codeHash,
      userId,
      createdAtMs: NOW_MS - 30 * DAY_MS,
      expiresAtMs,
    })
    await deps.db
      .insert(passwordResets)
      .values([reset('ancient', NOW_MS - 8 * DAY_MS), reset('recent', NOW_MS - DAY_MS)])
    await runHousekeeping(deps)
    const left = await deps.db.select().from(passwordResets).where(eq(passwordResets.userId, userId))
    expect(left.map(({ codeHash }) => codeHash)).toEqual(['recent'])
  })

  it('forgets delivered mails after 90 days, never those that failed', async () => {
    const deps = testDeps()
    const old = { createdAtMs: NOW_MS - 91 * DAY_MS, nextAttemptAtMs: NOW_MS - 91 * DAY_MS }
    const sent = {
      ...outboxRow(contactNotice, deps),
      ...old,
      status: 'sent',
      sentAtMs: old.createdAtMs,
    } as const
    const failed = { ...outboxRow(contactNotice, deps), ...old, status: 'failed' } as const
    await deps.db.insert(outbox).values([sent, failed])
    await runHousekeeping(deps)
    const left = await deps.db.select({ id: outbox.id }).from(outbox)
    expect(left).toContainEqual({ id: failed.id })
    expect(left).not.toContainEqual({ id: sent.id })
  })
})
