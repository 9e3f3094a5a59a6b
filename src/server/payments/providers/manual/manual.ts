import type { PaymentProvider, ProviderMessages } from '#server/payments/providers/provider.ts'

/** Payments received another way and recorded by the operator; only a person can refund them. */
export const manualProvider: PaymentProvider = {
  name: 'manual',
  isRepeatable: true,
  startPayment: async () => ({ outcome: 'unknown', error: 'A manual payment is recorded, not started.' }),
  queryPayment: async ({ id }) => ({ outcome: 'settled', reference: id, receipt: null }),
  refund: async () => ({ outcome: 'by_hand', error: 'It was paid outside the shop.' }),
  webhook: null,
  parseWebhook: async () => ({ kind: 'invalid' }),
}

export const manualMessages: ProviderMessages = {
  problems: { declined: 'The payment didn’t go through. You haven’t been charged.' },
  waiting: () => 'We’re processing your payment.',
}
