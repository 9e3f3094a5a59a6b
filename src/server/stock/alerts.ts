import { and, asc, count, eq, gt, inArray, isNull, or, sql } from 'drizzle-orm'
import { resolveLines } from '#server/catalogue/resolve-lines.ts'
import type { ServiceContext } from '#server/context.ts'
import { createUnsubscribeLink, parseUnsubscribeCode } from '#server/platform/auth/signed-link.ts'
import { newId } from '#server/platform/crypto.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { outbox, stock, stockAlerts } from '#server/platform/db/schema.ts'
import { toOutboxRow } from '#server/platform/email/outbox.ts'
import { getPublicOrigin } from '#server/platform/http/request.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { toEmailIdentity } from '#shared/accounts/auth-forms.ts'
import { findItem } from '#shared/catalogue/items.ts'
import { formatNameWithSize } from '#shared/format.ts'
import { href } from '#shared/routes.ts'
import { createBackInStockEmail } from './emails.ts'

/** Further requests get the same response but store nothing, because anyone can enter any email address. */
const MAX_ALERTS_PER_EMAIL = 20
const ALERTS_PER_BATCH = 20

type StockAlertInput = { itemId: number; email: string; ipAddress: string }

export async function requestStockAlert(
  { itemId, email, ipAddress }: StockAlertInput,
  ctx: ServiceContext,
): Promise<Result<{ name: string }, ServiceError<'too_many_requests' | 'unknown_product'>>> {
  if (!(await ctx.limits.writes(`stock alert from ${ipAddress}`)))
    return { ok: false, error: tooManyRequestsError }
  const found = await resolveLines([{ id: itemId, qty: 1 }], ctx)
  if (!found.ok) return found
  const row = { id: newId(ctx), itemId, email: toEmailIdentity(email), createdAtMs: ctx.clock() }
  const { db } = ctx
  const alertCount = db.select({ n: count() }).from(stockAlerts).where(eq(stockAlerts.email, row.email))
  await db
    .insert(stockAlerts)
    .select(insertRowWhere(stockAlerts, row, sql`where (${alertCount}) < ${MAX_ALERTS_PER_EMAIL}`))
    .onConflictDoNothing()
  const [line] = found.data
  return { ok: true, data: { name: line ? formatNameWithSize(line.product.title, line.size) : '' } }
}

export async function deleteStockAlerts(
  { code }: { code: string },
  ctx: ServiceContext,
): Promise<Result<undefined, ServiceError<'alert_link_invalid'>>> {
  const email = await parseUnsubscribeCode(code, ctx)
  if (email === undefined) return { ok: false, error: { code: 'alert_link_invalid' } }
  await ctx.db.delete(stockAlerts).where(eq(stockAlerts.email, email))
  return { ok: true, data: undefined }
}

export async function queueBackInStockEmails(ctx: ServiceContext): Promise<void> {
  const { db } = ctx
  const origin = getPublicOrigin(ctx.config)
  const byBackInStock = or(isNull(stock.itemId), gt(sql`${stock.onHand} - ${stock.reserved}`, 0))
  let last: { id: string; createdAtMs: number } | undefined
  for (;;) {
    const byPageStart =
      last && sql`(${stockAlerts.createdAtMs}, ${stockAlerts.id}) > (${last.createdAtMs}, ${last.id})`
    const page = await db
      .select({
        id: stockAlerts.id,
        itemId: stockAlerts.itemId,
        email: stockAlerts.email,
        createdAtMs: stockAlerts.createdAtMs,
      })
      .from(stockAlerts)
      .leftJoin(stock, eq(stock.itemId, stockAlerts.itemId))
      .where(and(byBackInStock, byPageStart))
      .orderBy(asc(stockAlerts.createdAtMs), asc(stockAlerts.id))
      .limit(ALERTS_PER_BATCH)
    last = page.at(-1)
    if (!last) return
    const catalogue = await ctx.catalogue.load()
    // Alerts for hidden products wait until the product is shown again.
    const dueAlerts = page.flatMap(({ id, itemId, email }) => {
      const item = findItem(catalogue, itemId)
      return item ? { id, itemId, email, item } : []
    })
    const emails = await Promise.all(
      dueAlerts.map(async ({ id, itemId, email, item }) => {
        const name = formatNameWithSize(item.product.title, item.size)
        const link = origin + href('product', { id: itemId })
        const unsubscribeLink = await createUnsubscribeLink(email, origin, ctx)
        // The email gets the alert's id, so that concurrent runs queue only one email.
        return {
          ...toOutboxRow(createBackInStockEmail({ itemId, name, email, link, unsubscribeLink }), ctx),
          id,
        }
      }),
    )
    const ids = dueAlerts.map(({ id }) => id)
    await db.batch([
      db.delete(stockAlerts).where(inArray(stockAlerts.id, ids)),
      ...emails.map((email) => db.insert(outbox).values(email).onConflictDoNothing()),
    ])
  }
}
