import type { ProviderMessages } from '#server/payments/providers/provider.ts'

export const paystackMessages: ProviderMessages = {
  problems: {
    provider_busy:
      'Card payments cannot be taken just now. Nothing was charged. Please try again in a minute.',
    refunded: 'This card payment was given back. Please pay again, or pay another way.',
    declined:
      'The card payment did not go through. Nothing was charged. Please try again, or pay another way.',
  },
  waiting: ({ amount, redirectTo }) =>
    redirectTo
      ? `Please pay ${amount} on Paystack’s page.`
      : 'Paystack has not opened its page for your payment yet. Nothing was charged. Please wait a moment, or pay another way.',
}
