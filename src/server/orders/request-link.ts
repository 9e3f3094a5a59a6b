import { and, count, eq, gt, sql } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import type { Client } from '#server/platform/auth/client.ts'
import { isRequestAllowed, recordAttemptsStatement } from '#server/platform/auth/login-attempts.ts'
import { newId, sha256Hex } from '#server/platform/crypto.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { orders, outbox, payments } from '#server/platform/db/schema.ts'
import { deliverEmailsInBackground, toOutboxRow } from '#server/platform/email/outbox.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { toEmailIdentity } from '#shared/accounts/auth-forms.ts'
import { type OrderLinkField, parseOrderNumber } from '#shared/orders/order-link.ts'
import { toPhoneKey } from '#shared/payments/payment.ts'
import { HOUR_MS } from '#shared/time.ts'
import { recipientEmail } from './order-record.ts'
import { createOrderLinkEmail } from './status-emails.ts'

/** The limit on emails per recipient. Further requests get the same response but send nothing. */
const MAX_LINKS_PER_HOUR = 3

type RequestOrderLinkInput = Record<OrderLinkField, string> & { client: Client; origin: string }

/**
 * Sends the link to the address that the order's emails go to. The response and its timing don't reveal whether
 * `contact` matches the order.
 */
export async function requestOrderLink(
  { number: enteredNumber, contact, client, origin }: RequestOrderLinkInput,
  ctx: ServiceContext,
): Promise<Result<null, ServiceError<'too_many_requests'>>> {
  if (!(await isRequestAllowed('order link', client, client.device !== null, ctx.limits)))
    return { ok: false, error: tooManyRequestsError }
  const { db } = ctx
  const number = parseOrderNumber(enteredNumber) ?? ''
  const link = createOrderLinkEmail({ requestId: newId(ctx), number, origin })
  const email = { ...toOutboxRow(link, ctx), recipient: recipientEmail }
  const byRecentLink = and(eq(outbox.kind, link.kind), gt(outbox.createdAtMs, ctx.clock() - HOUR_MS))
  const recent = db
    .select({ n: count() })
    .from(outbox)
    .where(and(eq(outbox.recipient, recipientEmail), byRecentLink))
  const byNumberAndContact = and(eq(orders.number, number), byContact(contact))
  await db.batch([
    // This statement writes even if the order doesn't exist, because a batch without a write would be measurably
    // faster.
    recordAttemptsStatement([await sha256Hex(`order link ${number}`)], ctx),
    db
      .insert(outbox)
      .select(
        insertRowWhere(
          outbox,
          email,
          sql`from ${orders} where ${byNumberAndContact} and (${recent}) < ${MAX_LINKS_PER_HOUR}`,
        ),
      ),
  ])
  deliverEmailsInBackground(ctx)
  return { ok: true, data: null }
}

function byContact(contact: string) {
  if (contact.includes('@')) return sql`lower(${orders.email}) = ${toEmailIdentity(contact)}`
  const key = toPhoneKey(contact)
  const forms = ['', '0', '00', '254', '2540', '00254'].map((prefix) => prefix + key)
  const separators = [' ', '-', '(', ')', '+']
  const digits = separators.reduce((text, sign) => sql`replace(${text}, ${sign}, '')`, sql`${orders.phone}`)
  const paidFromPhone = sql`select 1 from ${payments} where ${payments.orderId} = ${orders.id} and ${payments.phone} = ${`254${key}`}`
  return sql`(${digits} in ${forms} or exists (${paidFromPhone}))`
}
