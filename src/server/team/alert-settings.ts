import { and, asc, eq, inArray, notInArray } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { DataContext } from '#server/context.ts'
import type { Config } from '#server/env.ts'
import { newId } from '#server/platform/crypto.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { alertDevices, alertSettings, alerts } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { ALERT_KIND_NAMES, ALERT_KINDS, type AlertKind, isAlertFor } from '#shared/team/alerts.ts'
import { type Actor, normaliseMemberEmail, type Role } from '#shared/team/roles.ts'
import { isAllowedPushEndpoint } from './push.ts'

const MAX_DEVICES = 10
const LABEL_MAX_CHARACTERS = 60

export type AlertChoice = { kind: AlertKind; sendsPush: boolean; sendsEmail: boolean }
export type AlertDevice = Pick<typeof alertDevices.$inferSelect, 'id' | 'label' | 'createdAtMs'>

export async function readAlertSettings(
  { email, role }: Actor,
  { db }: DataContext,
): Promise<{ choices: AlertChoice[]; devices: AlertDevice[] }> {
  const address = normaliseMemberEmail(email)
  const [rows, devices] = await db.batch([
    db.select().from(alertSettings).where(eq(alertSettings.email, address)),
    db
      .select({ id: alertDevices.id, label: alertDevices.label, createdAtMs: alertDevices.createdAtMs })
      .from(alertDevices)
      .where(eq(alertDevices.email, address))
      .orderBy(asc(alertDevices.createdAtMs)),
  ])
  const choices = ALERT_KIND_NAMES.filter((kind) => isAlertFor(role, kind)).map((kind) => {
    const { sendsPush, sendsEmail } = rows.find((row) => row.kind === kind) ?? ALERT_KINDS[kind]
    return { kind, sendsPush, sendsEmail }
  })
  return { choices, devices }
}

export async function saveAlertChoices(
  { choices, actor }: { choices: readonly AlertChoice[]; actor: Actor },
  ctx: DataContext,
): Promise<void> {
  const { db } = ctx
  const email = normaliseMemberEmail(actor.email)
  const permitted = choices.filter(({ kind }) => isAlertFor(actor.role, kind))
  const rows = permitted.map((choice) => ({ email, ...choice }))
  const statements = [
    db.delete(alertSettings).where(eq(alertSettings.email, email)),
    ...rows.map((row) => db.insert(alertSettings).values(row)),
  ] as const
  await commitAudited({ statements, audit: { actor, action: 'alerts.save', subject: email } }, ctx)
}

const createKeySchema = (bytes: number) =>
  z.string().check(
    z.regex(/^[\w-]+=*$/),
    z.refine((text) => Math.floor((text.replace(/=+$/, '').length * 3) / 4) === bytes),
  )
const pushSubscriptionSchema = z.object({
  endpoint: z.string().check(z.maxLength(1000)),
  p256dh: createKeySchema(65),
  auth: createKeySchema(16),
})

type AlertDeviceInput = { endpoint: string; p256dh: string; auth: string; label: string; actor: Actor }

export async function addDevice(
  { label, actor, ...subscription }: AlertDeviceInput,
  ctx: DataContext & { config: Pick<Config, 'ENVIRONMENT'> },
): Promise<Result<undefined, ServiceError<'invalid_fields'>>> {
  const { db } = ctx
  const { success, data } = pushSubscriptionSchema.safeParse(subscription)
  if (!success || !isAllowedPushEndpoint(data.endpoint, ctx.config))
    return {
      ok: false,
      error: { code: 'invalid_fields', message: 'This browser can’t receive alerts. Try another browser.' },
    }
  const email = normaliseMemberEmail(actor.email)
  const row = {
    id: newId(ctx),
    email,
    ...data,
    createdAtMs: ctx.clock(),
    label: label.trim().slice(0, LABEL_MAX_CHARACTERS) || 'Browser',
  }
  const ownDevices = db
    .select({ id: alertDevices.id })
    .from(alertDevices)
    .where(eq(alertDevices.email, email))
    .orderBy(asc(alertDevices.createdAtMs))
  const statements = [
    db.delete(alertDevices).where(eq(alertDevices.endpoint, data.endpoint)),
    db.insert(alertDevices).values(row),
  ] as const
  const own = await ownDevices
  if (own.length >= MAX_DEVICES)
    return {
      ok: false,
      error: {
        code: 'invalid_fields',
        message: `You can have at most ${MAX_DEVICES} devices. Remove one first.`,
      },
    }
  await commitAudited({ statements, audit: { actor, action: 'alerts.device', subject: row.label } }, ctx)
  return { ok: true, data: undefined }
}

export async function removeDevice(
  { id, actor }: { id: string; actor: Actor },
  ctx: DataContext,
): Promise<void> {
  const byOwnDevice = and(eq(alertDevices.id, id), eq(alertDevices.email, normaliseMemberEmail(actor.email)))
  const device = await ctx.db
    .select({ label: alertDevices.label })
    .from(alertDevices)
    .where(byOwnDevice)
    .get()
  if (!device) return
  const statements = [ctx.db.delete(alertDevices).where(byOwnDevice)] as const
  const audit = { actor, action: 'alerts.device.remove', subject: device.label } as const
  await commitAudited({ statements, audit }, ctx)
}

export async function queueTestAlert({ actor }: { actor: Actor }, ctx: DataContext): Promise<void> {
  const id = newId(ctx)
  const recipient = normaliseMemberEmail(actor.email)
  const row = { id, kind: 'test', subject: id, recipient, createdAtMs: ctx.clock() } as const
  const statements = [ctx.db.insert(alerts).values({ ...row, text: 'Test alert' })] as const
  await commitAudited({ statements, audit: { actor, action: 'alerts.test', subject: recipient } }, ctx)
}

export function deleteAlertSettingsStatements(email: string, role: Role | undefined, { db }: DataContext) {
  const byMember = eq(alertSettings.email, email)
  const keptKinds = role ? ALERT_KIND_NAMES.filter((kind) => isAlertFor(role, kind)) : []
  return [
    db
      .delete(alertSettings)
      .where(and(byMember, keptKinds.length > 0 ? notInArray(alertSettings.kind, keptKinds) : undefined)),
    ...(role ? [] : [db.delete(alertDevices).where(inArray(alertDevices.email, [email]))]),
  ] as const
}
