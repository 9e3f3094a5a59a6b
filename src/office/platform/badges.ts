import { and, count, eq, gt, inArray, isNotNull, isNull, or, type SQL } from 'drizzle-orm'
import { createMiddleware } from 'hono/factory'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { contactMessages, outbox, payments } from '#server/platform/db/schema.ts'

/** More than that is not counted: the badge then shows that number. */
const MOST = 99

/** Gives pages what their badges count: read once a page is made, and by index alone. */
export function badges({ db }: Pick<OfficeContext, 'db'>) {
  return createMiddleware<OfficeEnv>(async function badges(c, next) {
    c.set('badges', async () => {
      const unread = db
        .select({ id: contactMessages.id })
        .from(contactMessages)
        .where(and(isNull(contactMessages.readAtMs), eq(contactMessages.isSuspicious, false)))
        .limit(MOST)
      const needsSomebody = or(
        eq(payments.refundState, 'by_hand'),
        and(inArray(payments.refundState, ['due', 'requested']), isNotNull(payments.refundError)),
      )
      const refunds = db.select({ id: payments.id }).from(payments).where(needsSomebody).limit(MOST)
      const mailsWhere = (isStuck: SQL | undefined) =>
        db.select({ id: outbox.id }).from(outbox).where(isStuck).limit(MOST)
      const failedMails = mailsWhere(eq(outbox.status, 'failed'))
      const lateMails = mailsWhere(and(eq(outbox.status, 'pending'), gt(outbox.attempts, 1)))
      const [[messages], [due], [failed], [late]] = await db.batch([
        db.select({ n: count().as('n') }).from(unread.as('unread')),
        db.select({ n: count().as('n') }).from(refunds.as('refunds')),
        // One condition for both would find the index of neither.
        db.select({ n: count().as('n') }).from(failedMails.as('failed')),
        db.select({ n: count().as('n') }).from(lateMails.as('late')),
      ])
      const stuckMails = Math.min((failed?.n ?? 0) + (late?.n ?? 0), MOST)
      return { unreadMessages: messages?.n ?? 0, refunds: due?.n ?? 0, stuckMails }
    })
    await next()
  })
}
