import type { ProviderMessages } from '#server/payments/providers/provider.ts'

export const paystackMessages: ProviderMessages = {
  problems: {
    provider_busy:
      'We can’t take card payments right now. You haven’t been charged. Please try again in a minute.',
    refunded: 'This card payment has been refunded. Please pay by card again, or pay another way.',
    declined:
      'The card payment didn’t go through. You haven’t been charged. Please try again, or pay another way.',
  },
  waiting: ({ amount, redirectTo }) =>
    redirectTo
      ? `Complete your payment of ${amount} on Paystack’s page.`
      : 'Paystack’s payment page isn’t ready yet. You haven’t been charged. Please wait a moment, or pay another way.',
}
