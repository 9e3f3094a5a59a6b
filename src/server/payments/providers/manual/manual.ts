import type { PaymentProvider, ProviderMessages } from '#server/payments/providers/provider.ts'

/** Payments received another way and recorded by the operator; only a person can refund them. */
export const manualProvider: PaymentProvider = {
  name: 'manual',
  isRepeatable: true,
  startPayment: async () => ({ outcome: 'unknown', error: 'A manual payment is recorded, not started.' }),
  queryPayment: async ({ id }) => ({ outcome: 'settled', reference: id, receipt: null }),
  refund: async () => ({ outcome: 'by_hand', error: 'It was paid by hand.' }),
  webhook: null,
  parseWebhook: async () => ({ kind: 'invalid' }),
}

export const manualMessages: ProviderMessages = {
  problems: { declined: 'The payment did not go through. Nothing was charged.' },
  waiting: () => 'Your payment is on its way.',
}
