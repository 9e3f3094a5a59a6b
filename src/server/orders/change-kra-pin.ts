import { eq } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { commitAudited, requirePermission } from '#server/platform/db/audit.ts'
import { orders } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { findOrderFieldProblem } from '#shared/orders/fields.ts'
import type { Actor } from '#shared/team/roles.ts'
import { byOrderNumber } from './order-record.ts'

export async function changeKraPin(
  { number, kraPin, actor }: { number: string; kraPin: string; actor: Actor },
  ctx: DataContext,
): Promise<Result<{ number: string }, ServiceError<'not_found' | 'invalid_fields'>>> {
  requirePermission(actor, 'order.pin')
  const message = findOrderFieldProblem('kraPin', kraPin)
  if (message) return { ok: false, error: { code: 'invalid_fields', message } }
  const { db } = ctx
  const order = await db
    .select({ id: orders.id, number: orders.number, kraPin: orders.kraPin })
    .from(orders)
    .where(byOrderNumber(number))
    .get()
  if (!order) return { ok: false, error: { code: 'not_found' } }
  const to = kraPin.trim().toUpperCase() || null
  const statements = [db.update(orders).set({ kraPin: to }).where(eq(orders.id, order.id))] as const
  const audit = { actor, action: 'order.pin', subject: order.number, from: order.kraPin, to } as const
  await commitAudited({ statements, audit }, ctx)
  return { ok: true, data: { number: order.number } }
}
