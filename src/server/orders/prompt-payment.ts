import type { ServiceContext } from '#server/context.ts'
import { recordAudit, requirePermission } from '#server/platform/db/audit.ts'
import { getPublicOrigin } from '#server/platform/http/request.ts'
import { errorDefinitions } from '#shared/errors.ts'
import { findPaymentPhoneProblem } from '#shared/payments/payment.ts'
import type { Actor } from '#shared/team/roles.ts'
import { readOrderRecord } from './order-record.ts'
import { payOrder } from './pay-order.ts'

/** The office calls this, because it can't call payment providers. `problem` is undefined on success. */
export async function promptPayment(
  { number, phone, actor }: { number: string; phone: string; actor: Actor },
  ctx: ServiceContext,
): Promise<{ problem?: string }> {
  requirePermission(actor, 'order.prompt')
  const invalid = findPaymentPhoneProblem(phone, 'mpesa')
  if (invalid) return { problem: `${invalid}.` }
  const record = await readOrderRecord(number, ctx)
  if (!record) return { problem: errorDefinitions.not_found.message }
  const paymentDetails = { provider: 'mpesa', phone } as const
  const audit = { actor, action: 'order.prompt', subject: number, to: phone } as const
  await recordAudit(audit, ctx)
  const paid = await payOrder(
    { record, paymentDetails, origin: getPublicOrigin(ctx.config), isRetry: false },
    ctx,
  )
  return paid.ok ? {} : { problem: paid.error.message ?? errorDefinitions[paid.error.code].message }
}
