import type { RefundRequest, RefundResult } from '#server/payments/providers/provider.ts'
import { centsToKsh } from '#shared/format.ts'
import type { DarajaClient } from './daraja.ts'
import { MISSING_PAYOUT_SHORTCODE_ERROR } from './settings.ts'

const MIN_PAYOUT_KSH = 10
const MAX_PAYOUT_KSH = 250_000
const DUPLICATE_REQUEST_PATTERN = /duplicate/i

/** Pays out to the number that paid (B2C), because M-Pesa reverses whole payments only. */
export async function payOut(
  daraja: DarajaClient,
  { payment: { phone, orderNumber, token }, amountCents, reference }: RefundRequest,
  callbackUrl: string,
): Promise<RefundResult> {
  const amountKsh = centsToKsh(amountCents)
  if (!daraja.canPayOut) return toManualRefund(MISSING_PAYOUT_SHORTCODE_ERROR)
  if (!phone) return toManualRefund('We don’t know which phone number the payment came from.')
  if (!Number.isInteger(amountKsh) || amountKsh < MIN_PAYOUT_KSH || amountKsh > MAX_PAYOUT_KSH)
    return toManualRefund(
      `M-Pesa only pays out whole-shilling amounts from KSH ${MIN_PAYOUT_KSH} to KSH 250,000.`,
    )
  const remarks = `Refund ${orderNumber}`
  const result = await daraja.payOut({
    conversationId: reference,
    phone,
    amountKsh,
    remarks,
    callbackUrl,
    token,
  })
  if (result.kind === 'ok') return { outcome: 'requested' }
  if (result.kind === 'no_response') return { outcome: 'failed', error: result.error }
  // M-Pesa already has this request, so the result will follow.
  if (DUPLICATE_REQUEST_PATTERN.test(result.message)) return { outcome: 'requested' }
  return { outcome: 'failed', error: `${result.code} ${result.message}` }
}

function toManualRefund(error: string): RefundResult {
  return { outcome: 'by_hand', error }
}
