import type { PaymentProvider, ProviderMessages } from '#server/payments/providers/provider.ts'

export const manualProvider: PaymentProvider = {
  name: 'manual',
  isRepeatable: true,
  startPayment: async () => ({ outcome: 'unknown', error: 'Manual payments can’t be started.' }),
  queryPayment: async ({ id }) => ({ outcome: 'settled', reference: id, receipt: null }),
  refund: async () => ({ outcome: 'by_hand', error: 'This payment wasn’t made through the website.' }),
  webhook: null,
  parseWebhook: async () => ({ kind: 'invalid' }),
}

export const manualMessages: ProviderMessages = {
  problems: { declined: 'The payment didn’t go through. You haven’t been charged.' },
  waiting: () => 'We’re processing your payment.',
}
