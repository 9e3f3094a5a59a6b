import { and, count, eq, gt, like, lt, lte, ne, notInArray, notLike, or, sql } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import { newId } from '#server/platform/crypto.ts'
import { alerts, orders, outbox, payments, serverErrors, stock } from '#server/platform/db/schema.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { LOW_STOCK_UNITS } from '#shared/catalogue/catalogue-stock.ts'
import { findItem } from '#shared/catalogue/items.ts'
import { formatMoney, formatNameWithSize } from '#shared/format.ts'
import { getProviderDescriptor } from '#shared/payments/providers.ts'
import type { AlertKind } from '#shared/team/alerts.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, parseShopDay } from '#shared/time.ts'

/** How often a technical problem is reported while it lasts. */
const REPEAT_ALERT_AFTER_MS = 6 * HOUR_MS
const ERROR_WINDOW_MS = 10 * MINUTE_MS
const MIN_SERVER_ERRORS = 5
const LATE_EMAIL_MS = 30 * MINUTE_MS
const MIN_LATE_EMAILS = 3
const PROVIDER_WINDOW_MS = 30 * MINUTE_MS
const MIN_UNKNOWN_PAYMENTS = 3
const MAX_ROWS = 50
const SUMMARY_HOUR = 7
const SENT_ALERT_DAYS = 7
/** If more items than this become low in one run, a single alert is sent for all. */
const MAX_STOCK_ALERTS = 3
/** Matches the subjects of combined alerts, which have a time instead of `%`. */
const COMBINED_ALERT_SUBJECT = 'at %'

type NewAlert = { kind: AlertKind; subject: string; text: string; sentAtMs?: number }
type DetectContext = DataContext & Pick<ServiceContext, 'catalogue'>

/** Reports each problem once, except that technical problems are reported again while they last. */
export async function detectProblems(ctx: DetectContext): Promise<void> {
  const { announcedItems, lowStock, ...problems } = await readProblems(ctx)
  const newlyLow = lowStock.filter(
    ({ itemId }) => !announcedItems.some(({ subject }) => subject === String(itemId)),
  )
  const catalogue = newlyLow.length > 0 ? await ctx.catalogue.load().catch(() => []) : []
  const nowMs = ctx.clock()
  const newAlerts = [
    ...createPaymentAndEmailAlerts(problems),
    ...createTechnicalAlerts(problems, nowMs),
    ...createSummaryAlerts(nowMs),
  ]
  await ctx.db.batch([
    ...deleteOldAlertsStatements(ctx),
    ctx.db.delete(serverErrors).where(lt(serverErrors.window, getErrorWindow(nowMs) - 2)),
    ...newAlerts.map((alert) => insertAlertStatement(alert, ctx)),
    ...insertStockAlertStatements(newlyLow, catalogue, ctx),
  ])
}

const byLowStock = lte(sql`${stock.onHand} - ${stock.reserved}`, LOW_STOCK_UNITS)

async function readProblems({ db, clock }: DetectContext) {
  const nowMs = clock()
  const since = (ms: number) => nowMs - ms
  const byUnknownSince = (ms: number) =>
    and(eq(payments.state, 'unknown'), gt(payments.createdAtMs, since(ms)))
  const [announcedItems, unknownPayments, lowStock, failedEmails, [late], [errors], unknownByProvider] =
    await db.batch([
      db.select({ subject: alerts.subject }).from(alerts).where(eq(alerts.kind, 'lowStock')),
      db
        .select({ id: payments.id, number: orders.number, amountCents: payments.amountCents })
        .from(payments)
        .innerJoin(orders, eq(orders.id, payments.orderId))
        .where(byUnknownSince(DAY_MS))
        .limit(MAX_ROWS),
      db.select().from(stock).where(byLowStock),
      db
        .select({ id: outbox.id })
        .from(outbox)
        .where(
          and(
            eq(outbox.status, 'failed'),
            gt(outbox.createdAtMs, since(2 * DAY_MS)),
            ne(outbox.kind, 'alert-notice'),
          ),
        )
        .limit(MAX_ROWS),
      db
        .select({ n: count() })
        .from(outbox)
        .where(
          and(
            eq(outbox.status, 'pending'),
            gt(outbox.attempts, 0),
            lt(outbox.createdAtMs, since(LATE_EMAIL_MS)),
          ),
        ),
      db
        .select({ n: sql<number>`coalesce(sum(${serverErrors.errors}), 0)` })
        .from(serverErrors)
        .where(gt(serverErrors.window, getErrorWindow(nowMs) - 2)),
      db
        .select({ provider: payments.provider, n: count() })
        .from(payments)
        .where(byUnknownSince(PROVIDER_WINDOW_MS))
        .groupBy(payments.provider),
    ])
  return {
    announcedItems,
    lowStock,
    unknownPayments,
    failedEmails,
    lateEmails: late?.n ?? 0,
    recentErrors: errors?.n ?? 0,
    unknownByProvider,
  }
}

type Problems = Awaited<ReturnType<typeof readProblems>>

function createPaymentAndEmailAlerts({
  unknownPayments,
  failedEmails,
}: Pick<Problems, 'unknownPayments' | 'failedEmails'>): NewAlert[] {
  return [
    ...unknownPayments.map(({ id, number, amountCents }) => ({
      kind: 'paymentProblem' as const,
      subject: id,
      text: `Payment problem with order ${number}: ${formatMoney(amountCents)}`,
    })),
    ...failedEmails.map(({ id }) => ({
      kind: 'stuckEmail' as const,
      subject: id,
      text: 'An email couldn’t be sent',
    })),
  ]
}

function createTechnicalAlerts(
  {
    lateEmails,
    recentErrors,
    unknownByProvider,
  }: Pick<Problems, 'lateEmails' | 'recentErrors' | 'unknownByProvider'>,
  nowMs: number,
): NewAlert[] {
  const createAlert = (name: string, text: string) => createTechnicalAlert(name, text, nowMs)
  return [
    ...(lateEmails >= MIN_LATE_EMAILS ? [createAlert('outbox', `${lateEmails} emails are stuck`)] : []),
    ...(recentErrors >= MIN_SERVER_ERRORS
      ? [createAlert('errors', `The shop had ${recentErrors} errors in the last 20 minutes`)]
      : []),
    ...unknownByProvider
      .filter(({ n }) => n >= MIN_UNKNOWN_PAYMENTS)
      .map(({ provider }) =>
        createAlert(provider, `${getProviderDescriptor(provider).name} isn’t confirming payments`),
      ),
  ]
}

/** The subject changes every six hours, because an alert with a known subject isn't stored again. */
function createTechnicalAlert(name: string, text: string, nowMs: number): NewAlert {
  return { kind: 'system', subject: `${name} ${Math.floor(nowMs / REPEAT_ALERT_AFTER_MS)}`, text }
}

/** Items that are no longer low lose their alert, so that a later shortage is reported again. */
function deleteOldAlertsStatements({ db, clock }: DataContext) {
  const lowItems = db
    .select({ id: sql<string>`cast(${stock.itemId} as text)` })
    .from(stock)
    .where(byLowStock)
  return [
    db
      .delete(alerts)
      .where(
        and(
          eq(alerts.kind, 'lowStock'),
          notLike(alerts.subject, COMBINED_ALERT_SUBJECT),
          notInArray(alerts.subject, lowItems),
        ),
      ),
    db
      .delete(alerts)
      .where(
        and(
          or(ne(alerts.kind, 'lowStock'), like(alerts.subject, COMBINED_ALERT_SUBJECT)),
          lt(alerts.createdAtMs, clock() - SENT_ALERT_DAYS * DAY_MS),
        ),
      ),
  ] as const
}

type StockRow = typeof stock.$inferSelect

function insertStockAlertStatements(rows: readonly StockRow[], catalogue: Catalogue, ctx: DataContext) {
  const nowMs = ctx.clock()
  const isCombined = rows.length > MAX_STOCK_ALERTS
  const formatStockAlert = ({ itemId, onHand, reserved }: StockRow) => {
    const item = findItem(catalogue, itemId)
    const name = item ? formatNameWithSize(item.product.title, item.size) : `item ${itemId}`
    return onHand > reserved ? `Low stock: ${name}, ${onHand - reserved} left` : `Sold out: ${name}`
  }
  const sentFields = isCombined ? { sentAtMs: nowMs } : {}
  return [
    ...rows.map((row) =>
      insertAlertStatement(
        { kind: 'lowStock', subject: String(row.itemId), text: formatStockAlert(row), ...sentFields },
        ctx,
      ),
    ),
    ...(isCombined
      ? [
          insertAlertStatement(
            {
              kind: 'lowStock',
              subject: COMBINED_ALERT_SUBJECT.replace('%', String(nowMs)),
              text: `${rows.length} items are running low or sold out`,
            },
            ctx,
          ),
        ]
      : []),
  ]
}

function insertAlertStatement(alert: NewAlert, ctx: DataContext) {
  return ctx.db
    .insert(alerts)
    .values({ ...alert, id: newId(ctx), createdAtMs: ctx.clock() })
    .onConflictDoNothing()
}

function createSummaryAlerts(nowMs: number): NewAlert[] {
  const today = parseShopDay('today', nowMs)
  if (!today || nowMs < today.startMs + SUMMARY_HOUR * HOUR_MS) return []
  return [{ kind: 'summary', subject: today.name, text: 'Your shop today' }]
}

function getErrorWindow(nowMs: number): number {
  return Math.floor(nowMs / ERROR_WINDOW_MS)
}

export async function recordServerError({ db, clock }: Pick<DataContext, 'db' | 'clock'>): Promise<void> {
  await db
    .insert(serverErrors)
    .values({ window: getErrorWindow(clock()), errors: 1 })
    .onConflictDoUpdate({ target: serverErrors.window, set: { errors: sql`${serverErrors.errors} + 1` } })
}

export async function recordFailedRun(ctx: DataContext): Promise<void> {
  const text = 'The shop’s scheduled tasks are failing'
  await insertAlertStatement(createTechnicalAlert('schedule', text, ctx.clock()), ctx)
}
