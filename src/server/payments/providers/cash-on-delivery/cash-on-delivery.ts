import type { PaymentProvider, ProviderMessages } from '#server/payments/providers/provider.ts'

/** Places orders unpaid. The operator records what the rider collects, or the customer pays another way. */
export const cashOnDeliveryProvider: PaymentProvider = {
  name: 'cash-on-delivery',
  isRepeatable: true,
  startPayment: async ({ id }) => ({ outcome: 'on_delivery', reference: id }),
  /** The query places orders from the office, and orders whose placement was interrupted. */
  queryPayment: async ({ id }) => ({ outcome: 'on_delivery', reference: id }),
  refund: async () => ({ outcome: 'by_hand', error: 'This order was paid on delivery.' }),
  webhook: null,
  parseWebhook: async () => ({ kind: 'invalid' }),
}

export const cashOnDeliveryMessages: ProviderMessages = {
  problems: {
    declined: 'Some items have just sold out, so we couldn’t place your order. You haven’t been charged.',
    amount_limit:
      'Cash on delivery isn’t available for this order. You haven’t been charged. Please choose another way to pay.',
  },
  waiting: ({ amount }) => `You’ll pay ${amount} when your order arrives, in cash or by M-Pesa.`,
}
