import type { DataContext } from '#server/context.ts'
import { newId } from '#server/platform/crypto.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { outbox } from '#server/platform/db/schema.ts'
import { renderEmail } from '#server/platform/email/layout.ts'
import { type Email, ORDER_LINK } from '#server/platform/email/mailer.ts'
import { toOutboxRow } from '#server/platform/email/outbox.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { formatMoney } from '#shared/format.ts'
import { shop } from '#shared/shop.ts'
import type { Actor } from '#shared/team/roles.ts'
import { formatDateTime } from '#shared/time.ts'
import { createContactBlock, getShopperEmailFields } from './confirmation-emails.ts'
import { calculateBalance, type OrderRow, readOrderRecord } from './order-record.ts'

export async function emailPaymentLink(
  { number, actor }: { number: string; actor: Actor },
  ctx: DataContext,
): Promise<Result<OrderRow, ServiceError<'not_found' | 'not_awaiting_payment' | 'invalid_fields'>>> {
  const { db } = ctx
  const record = await readOrderRecord(number, ctx)
  if (!record) return { ok: false, error: { code: 'not_found' } }
  const { row } = record
  const { dueCents } = calculateBalance(record)
  if (dueCents === 0) return { ok: false, error: { code: 'not_awaiting_payment' } }
  if (!row.email) return { ok: false, error: { code: 'invalid_fields', message: NO_EMAIL_MESSAGE } }
  const email = createPaymentLinkEmail(row, dueCents, newId(ctx))
  const audit = { actor, action: 'order.link', subject: row.number, to: email.recipient } as const
  await commitAudited({ statements: [db.insert(outbox).values(toOutboxRow(email, ctx))], audit }, ctx)
  return { ok: true, data: row }
}

const NO_EMAIL_MESSAGE = 'This order has no email address. Share the link another way.'

/**
 * `subjectId` is the request's id, not the order's, because the operator can send several of these emails for an order.
 */
function createPaymentLinkEmail(order: OrderRow, dueCents: number, requestId: string): Email {
  const { number, status, expiresAtMs, paidCents } = order
  const until =
    status === 'awaiting_payment' && paidCents === 0 && expiresAtMs
      ? ` Please pay by ${formatDateTime(expiresAtMs)}, or the order will expire.`
      : ''
  return {
    kind: 'payment-link',
    ...getShopperEmailFields(order),
    subjectId: requestId,
    subject: `Pay for your ${shop.name} order ${number}`,
    ...renderEmail('Pay for your order', [
      {
        kind: 'paragraph',
        text: `${formatMoney(dueCents)} is due for your order ${number}. You don’t need an account to pay.${until}`,
      },
      { kind: 'link', label: 'View and pay', url: ORDER_LINK },
      createContactBlock(order),
    ]),
  }
}
