import type { PaymentRow } from '#server/payments/payment-attempts.ts'
import type { RefundRow } from '#server/payments/refunds.ts'
import { formatMoney } from '#shared/format.ts'
import { hasFlow } from '#shared/payments/providers.ts'
import type { RefundReason, RefundState } from '#shared/payments/refunds.ts'

export function isManuallyRefunded({ provider }: Pick<PaymentRow, 'provider'>): boolean {
  return hasFlow(provider, 'manual') || hasFlow(provider, 'on-delivery')
}

/** A refund of several payments has a row for each, created at the same time. */
export function listLatestRefunds(refunds: readonly RefundRow[], reason: RefundReason): readonly RefundRow[] {
  const latest = refunds.findLast((refund) => refund.reason === reason)
  return refunds.filter((refund) => refund.reason === reason && refund.createdAtMs === latest?.createdAtMs)
}

export function describeRequestedRefund(amount: string): string {
  return `The provider is still processing this refund, so don’t send ${amount} again. Do this only if its statement shows the refund.`
}

/** Describes the refund by its current state, so that a notice stays correct when the page is reloaded. */
export function describeRefund(parts: readonly RefundRow[], place: string): string {
  const format = (states: readonly RefundState[], describe: (amount: string) => string) => {
    const cents = parts
      .filter(({ state }) => states.includes(state))
      .reduce((sum, { amountCents }) => sum + amountCents, 0)
    return cents > 0 ? [describe(formatMoney(cents))] : []
  }
  return [
    ...format(['due', 'requested'], (amount) => `Refund of ${amount} started.`),
    ...format(
      ['by_hand'],
      (amount) => `Please refund ${amount} manually, then select “Mark as refunded” ${place}.`,
    ),
    ...format(['done'], (amount) => `Refund of ${amount} complete.`),
  ].join(' ')
}
