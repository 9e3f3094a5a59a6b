import { and, eq, inArray, isNull, lt, notExists, sql } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { alertDevices, alertSettings, alerts, outbox, teamMembers } from '#server/platform/db/schema.ts'
import { type EmailBlock, renderEmail } from '#server/platform/email/layout.ts'
import { toOutboxRow } from '#server/platform/email/outbox.ts'
import { runEach } from '#server/platform/run-each.ts'
import { shop } from '#shared/shop.ts'
import { ALERT_KINDS, type AlertKind, isAlertFor } from '#shared/team/alerts.ts'
import { normaliseMemberEmail, type Role } from '#shared/team/roles.ts'
import { readDailySummary } from './daily-summary.ts'

type Alert = typeof alerts.$inferSelect
type Device = typeof alertDevices.$inferSelect
type AlertUser = {
  email: string
  role: Role
  devices: Device[]
  settings: (typeof alertSettings.$inferSelect)[]
}
type AlertUserRows = [
  members: (typeof teamMembers.$inferSelect)[],
  devices: Device[],
  settings: AlertUser['settings'],
]
type AlertContext = Pick<ServiceContext, 'config' | 'push' | keyof DataContext>

const ALERTS_PER_RUN = 20
const MAX_ATTEMPTS = 5
/** OPERATOR_EMAIL gets no alert emails of these kinds, because it gets an email about each of these events anyway. */
const OPERATOR_EMAIL_KINDS: readonly Alert['kind'][] = ['newOrder', 'failedRefund', 'newMessage']

/** If an alert fails, the others are still sent, and a later run retries it. */
export async function deliverAlerts(ctx: AlertContext): Promise<void> {
  const [claimed, ...userRows] = await ctx.db.batch([claimAlertsStatement(ctx), ...selectAlertUsers(ctx)])
  const users = toAlertUsers(userRows)
  await runEach(claimed, async (alert) => {
    const recipients = users.filter(({ email, role }) =>
      alert.kind === 'test' ? email === alert.recipient : isAlertFor(role, alert.kind),
    )
    try {
      await queueEmails(alert, recipients, ctx)
      await pushAlert(alert, recipients, ctx)
    } catch (error) {
      await retryLater(alert, ctx)
      throw error
    }
  })
}

/** Marks the alerts as sent before sending them, so that a concurrent run doesn't send them too. */
function claimAlertsStatement({ db, clock }: AlertContext) {
  const dueAlerts = db
    .select({ id: alerts.id })
    .from(alerts)
    .where(and(isNull(alerts.sentAtMs), lt(alerts.attempts, MAX_ATTEMPTS)))
    .orderBy(alerts.createdAtMs)
    .limit(ALERTS_PER_RUN)
  return db
    .update(alerts)
    .set({ sentAtMs: clock(), attempts: sql`${alerts.attempts} + 1` })
    .where(inArray(alerts.id, dueAlerts))
    .returning()
}

async function retryLater({ id }: Alert, { db }: AlertContext): Promise<void> {
  await db.update(alerts).set({ sentAtMs: null }).where(eq(alerts.id, id))
}

function selectAlertUsers({ db }: AlertContext) {
  return [
    db.select().from(teamMembers),
    db.select().from(alertDevices),
    db.select().from(alertSettings),
  ] as const
}

/** Includes the owner in OWNER_EMAIL, who isn't a team member, only if they have devices or settings. */
function toAlertUsers([members, devices, settings]: AlertUserRows): AlertUser[] {
  const emails = new Set([...members, ...devices, ...settings].map(({ email }) => email))
  return [...emails].map((email) => ({
    email,
    role: members.find((member) => member.email === email)?.role ?? 'owner',
    devices: devices.filter((device) => device.email === email),
    settings: settings.filter((row) => row.email === email),
  }))
}

function findChoice({ settings }: AlertUser, kind: AlertKind) {
  return settings.find((row) => row.kind === kind) ?? ALERT_KINDS[kind]
}

async function pushAlert(alert: Alert, users: readonly AlertUser[], ctx: AlertContext): Promise<void> {
  const { push, db } = ctx
  const { kind } = alert
  if (!push || kind === 'summary') return
  const targets = users.flatMap((user) =>
    kind === 'test' || findChoice(user, kind).sendsPush
      ? user.devices.map((device) => ({ device, title: getTextForRole(user.role, alert) }))
      : [],
  )
  const outcomes = await Promise.all(
    targets.map(({ device, title }) => push.send(device, { title, url: getAlertPath(alert), tag: alert.id })),
  )
  const unsubscribedIds = targets
    .filter((_, index) => outcomes[index] === 'gone')
    .map(({ device }) => device.id)
  if (unsubscribedIds.length > 0)
    await db.delete(alertDevices).where(inArray(alertDevices.id, unsubscribedIds))
  // Devices that already have the alert replace it with the retried one, because the tag is the same.
  if (outcomes.includes('failed')) await retryLater(alert, ctx)
}

/** Queues each email once, although a retried alert calls this again. */
async function queueEmails(alert: Alert, users: readonly AlertUser[], ctx: AlertContext): Promise<void> {
  const { kind } = alert
  if (kind === 'test') return
  const mailbox = normaliseMemberEmail(ctx.config.OPERATOR_EMAIL)
  const subscribers = users
    .filter((user) => findChoice(user, kind).sendsEmail)
    .map(({ email, role }) => ({ email, role }))
  const owner = { email: mailbox, role: 'owner' } as const
  const recipients =
    kind === 'system' && !subscribers.some(({ email }) => email === mailbox)
      ? [...subscribers, owner]
      : subscribers
  const summary = kind === 'summary' && recipients.length > 0 ? await readDailySummary(ctx) : []
  const rows = recipients
    .filter(({ email }) => email !== mailbox || !OPERATOR_EMAIL_KINDS.includes(kind))
    .map(({ email, role }) => {
      const subject = getTextForRole(role, alert)
      const message = { subjectId: alert.id, recipient: email, subject }
      return toOutboxRow(
        {
          kind: 'alert-notice',
          ...message,
          ...renderEmail(subject, [...summary, ...createOfficeLink(alert, ctx)]),
        },
        ctx,
      )
    })
  for (const row of rows) {
    const byRecipient = and(eq(outbox.subjectId, alert.id), eq(outbox.recipient, row.recipient))
    const unlessQueued = sql`where ${notExists(ctx.db.select({ id: outbox.id }).from(outbox).where(byRecipient))}`
    await ctx.db.insert(outbox).select(insertRowWhere(outbox, row, unlessQueued))
  }
}

function createOfficeLink(alert: Alert, { config: { OFFICE_ORIGIN } }: AlertContext): EmailBlock[] {
  return OFFICE_ORIGIN
    ? [{ kind: 'link', label: 'Open the office', url: OFFICE_ORIGIN + getAlertPath(alert) }]
    : []
}

/** Removes the amount, which follows the colon in new-order alerts, because packers don't see amounts. */
function getTextForRole(role: Role, { kind, text }: Alert): string {
  return role === 'packer' && kind === 'newOrder' ? text.replace(/:.*/, '') : text
}

const ORDER_NUMBER_PATTERN = new RegExp(`\\b${shop.orderPrefix}-[0-9A-Z]{6}\\b`)

const ALERT_PATHS: Partial<Record<Alert['kind'], string>> = {
  lowStock: '/stock',
  newMessage: '/messages',
  stuckEmail: '/emails',
  test: '/alerts',
}

function getAlertPath({ kind, text }: Alert): string {
  const [number] = ORDER_NUMBER_PATTERN.exec(text) ?? []
  return number ? `/orders/${number}` : (ALERT_PATHS[kind] ?? '/')
}
