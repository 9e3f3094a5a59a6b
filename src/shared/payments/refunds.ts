export const REFUND_STATES = ['due', 'requested', 'by_hand', 'done'] as const
export type RefundState = (typeof REFUND_STATES)[number]

type RefundReasonDefinition = {
  label: string
  /** Whether the refund reduces what the order costs. */
  isCredit: boolean
}

const REFUND_REASON_DEFINITIONS = {
  order_cancelled: { label: 'Order cancelled', isCredit: true },
  extra_payment: { label: 'Overpaid', isCredit: false },
  late_payment: { label: 'Paid after the order was closed', isCredit: false },
  order_edited: { label: 'Order changed', isCredit: false },
  exchange: { label: 'Exchange', isCredit: false },
  /** Reverses the cash that was recorded with a delivery, once the operator undoes the delivery. */
  not_collected: { label: 'Cash not collected', isCredit: false },
  return: { label: 'Return', isCredit: true },
  other: { label: 'Other', isCredit: true },
} as const satisfies Record<string, RefundReasonDefinition>

export type RefundReason = keyof typeof REFUND_REASON_DEFINITIONS
export const REFUND_REASONS = Object.keys(REFUND_REASON_DEFINITIONS) as [RefundReason, ...RefundReason[]]

/** The reasons that the operator can choose; the shop sets the others. */
export const OFFICE_REFUND_REASONS = ['return', 'other'] as const satisfies readonly RefundReason[]

/**
 * The reasons for refunds that reduce an order's revenue without cancelling it. The `sales_*` triggers hard-code
 * them too (latest: migrations 0030 and 0056).
 */
export const SALE_REFUND_REASONS = ['return', 'other'] as const satisfies readonly RefundReason[]

/** The reasons for refunding a payment that wasn't due: the order was already paid, cancelled or expired. */
export const SURPLUS_REASONS: readonly RefundReason[] = ['extra_payment', 'late_payment']

export function getRefundReasonLabel(reason: RefundReason): string {
  return REFUND_REASON_DEFINITIONS[reason].label
}

export function isCreditReason(reason: RefundReason): boolean {
  return REFUND_REASON_DEFINITIONS[reason].isCredit
}
