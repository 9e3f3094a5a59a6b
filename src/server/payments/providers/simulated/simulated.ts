import type { PaymentProvider } from '#server/payments/providers/provider.ts'

/** How long the simulated card takes, in milliseconds (§ 4, § 9). */
export const SIMULATED_PAYMENT_MS = 2000

/** The card form of § 5: accepts everything after the specified wait, and moves no money. */
export function simulatedPayment({ delayMs = SIMULATED_PAYMENT_MS } = {}): PaymentProvider {
  const settled = (id: string) => ({ outcome: 'settled', reference: `sim_${id}`, receipt: null }) as const
  return {
    name: 'simulated',
    isRepeatable: true,
    async begin({ id }) {
      await new Promise((resolve) => setTimeout(resolve, delayMs))
      return settled(id)
    },
    check: async ({ id }) => settled(id),
    refund: async () => ({ outcome: 'done' }),
  }
}

/** Money that came another way, recorded by the operator; only a person can refund it. */
export const manualPayment: PaymentProvider = {
  name: 'manual',
  isRepeatable: true,
  begin: async () => ({ outcome: 'unknown', error: 'Nobody is asked for this money.' }),
  check: async ({ id }) => ({ outcome: 'settled', reference: id, receipt: null }),
  refund: async () => ({ outcome: 'by_hand', error: 'It was paid by hand.' }),
}
