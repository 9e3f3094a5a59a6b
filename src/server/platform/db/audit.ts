import type { BatchItem } from 'drizzle-orm/batch'
import type { DataContext } from '#server/context.ts'
import { newId } from '#server/platform/crypto.ts'
import type { Actor, Role } from '#shared/team/roles.ts'
import { changeThenRead, type Statements } from './client.ts'
import { auditLog } from './schema.ts'

export const AUDIT_ACTIONS = {
  'order.status': 'Status changed',
  'order.cancel': 'Order cancelled',
  'order.edit': 'Order changed',
  'return.create': 'Return created',
  'return.approve': 'Return approved',
  'return.decline': 'Return declined',
  'return.receive': 'Return received',
  'return.complete': 'Return completed',
  'return.cancel': 'Return cancelled',
  'return.convert': 'Exchange turned into a return',
  'order.refund': 'Refund started',
  'order.refunded': 'Marked as refunded',
  'order.paid': 'Payment recorded',
  'incoming.assign': 'Payment assigned',
  'incoming.refund': 'Refund of an unassigned payment started',
  'incoming.return': 'Payment marked as refunded',
  'withdrawal.match': 'Withdrawal matched to a refund',
  'withdrawal.dismiss': 'Withdrawal marked as not a refund',
  'statement.upload': 'Statement uploaded',
  'day.close': 'Day closed',
  'incoming.register': 'M-Pesa registration requested',
  'payment.resolved': 'Payment resolved',
  'order.pin': 'Customer’s KRA PIN changed',
  'seller.save': 'Invoice details saved',
  'order.note': 'Note added',
  'order.create': 'Order created',
  'order.link': 'Payment link emailed',
  'order.prompt': 'M-Pesa prompt sent',
  'order.release': 'Reservation released',
  'promotion.create': 'Promo code created',
  'promotion.end': 'Promo code ended',
  'message.read': 'Message marked as read',
  'message.answered': 'Message marked as answered',
  'mail.resend': 'Email resent',
  'stock.count': 'Stock counted',
  'catalogue.save': 'Product saved',
  'catalogue.hide': 'Product hidden',
  'catalogue.show': 'Product made visible',
  'catalogue.move': 'Product moved',
  'catalogue.delete': 'Product deleted',
  'catalogue.bulk': 'Products changed',
  'catalogue.categories': 'Categories changed',
  'catalogue.import': 'Draft replaced',
  'catalogue.photo': 'Photo uploaded',
  'catalogue.publish': 'Catalogue published',
  'content.save': 'Content saved',
  'content.restore': 'Default content restored',
  'account.erase': 'Account deleted',
  'team.add': 'Team member added',
  'team.remove': 'Team member removed',
  'team.refused': 'Access refused',
  'alerts.save': 'Alert settings saved',
  'alerts.device': 'Alert device added',
  'alerts.device.remove': 'Alert device removed',
  'alerts.test': 'Test alert sent',
  'customer.note': 'Customer note added',
  'customer.block': 'Customer blocked',
  'customer.unblock': 'Customer unblocked',
} as const

export type AuditAction = keyof typeof AUDIT_ACTIONS

const PACKER_ACTIONS: readonly AuditAction[] = [
  'order.status',
  'order.note',
  'stock.count',
  'alerts.save',
  'alerts.device',
  'alerts.device.remove',
  'alerts.test',
]

/** The actor of changes made with `npm run shop`, which has no login. */
export const COMMAND_LINE_ACTOR: Actor = { email: 'command line', role: 'owner' }

/** The office responds with 403 and records the refusal. */
export class NotPermittedError extends Error {
  override name = 'NotPermittedError'
}

export function mayPerform(role: Role, action: AuditAction): boolean {
  return role === 'owner' || PACKER_ACTIONS.includes(action)
}

/** {@link commitAudited} checks permissions too. Call this function if the permission must be checked earlier. */
export function requirePermission({ role }: Actor, action: AuditAction): void {
  if (!mayPerform(role, action)) throw new NotPermittedError(action)
}

export type AuditEntry = {
  actor: Actor
  action: AuditAction
  subject: string
  from?: string | null
  to?: string | null
}

export function formatStockCount(onHand: number | null): string {
  return onHand === null ? 'made to order' : String(onHand)
}

type AuditedChange = { statements: Statements; audit: AuditEntry | readonly AuditEntry[] }

/** Throws {@link NotPermittedError} if the actor's role doesn't permit an action. */
export async function commitAudited({ statements, audit }: AuditedChange, ctx: DataContext): Promise<void> {
  await ctx.db.batch([...statements, ...insertAuditStatements(audit, ctx)])
}

export function commitAuditedThenRead<Reads extends readonly BatchItem<'sqlite'>[]>(
  { statements, audit, reads }: AuditedChange & { reads: readonly [...Reads] },
  ctx: DataContext,
) {
  return changeThenRead(ctx.db, [...statements, ...insertAuditStatements(audit, ctx)], reads)
}

/** Records an action that isn't a database change, such as an uploaded photo. */
export async function recordAudit(entry: AuditEntry, ctx: DataContext): Promise<void> {
  requirePermission(entry.actor, entry.action)
  await ctx.db.insert(auditLog).values(toAuditRow(entry, ctx))
}

function insertAuditStatements(audit: AuditedChange['audit'], ctx: DataContext) {
  return [audit].flat().map((entry) => {
    requirePermission(entry.actor, entry.action)
    return ctx.db.insert(auditLog).values(toAuditRow(entry, ctx))
  })
}

function toAuditRow(
  { actor, ...entry }: Omit<AuditEntry, 'actor'> & { actor: { email: string } },
  ctx: DataContext,
) {
  return { ...entry, actor: actor.email, id: newId(ctx), atMs: ctx.clock() }
}

export async function recordAccessRefusal(
  { email, subject }: { email: string; subject: string },
  ctx: DataContext,
): Promise<void> {
  const entry = { actor: { email }, action: 'team.refused', subject: subject.slice(0, 120) } as const
  await ctx.db.insert(auditLog).values(toAuditRow(entry, ctx))
}
