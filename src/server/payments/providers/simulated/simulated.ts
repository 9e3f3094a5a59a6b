import type { PaymentProvider, ProviderMessages } from '#server/payments/providers/provider.ts'

/** How long a simulated payment takes (§ 4). */
const SIMULATED_PAYMENT_MS = 2000

export function createSimulatedProvider({ delayMs = SIMULATED_PAYMENT_MS } = {}): PaymentProvider {
  const settled = (id: string) => ({ outcome: 'settled', reference: `sim_${id}`, receipt: null }) as const
  return {
    name: 'simulated',
    isRepeatable: true,
    async startPayment({ id }) {
      await new Promise((resolve) => setTimeout(resolve, delayMs))
      return settled(id)
    },
    queryPayment: async ({ id }) => settled(id),
    refund: async () => ({ outcome: 'done' }),
    webhook: null,
    parseWebhook: async () => ({ kind: 'invalid' }),
  }
}

export const simulatedMessages: ProviderMessages = {
  problems: { declined: 'The payment didn’t go through. You haven’t been charged.' },
  waiting: () => 'We’re processing your payment.',
}
