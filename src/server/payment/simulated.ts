import { sha256Hex } from '../crypto.ts'
import type { PaymentProvider } from './provider.ts'

/** How long the simulated provider takes, in milliseconds (§ 4, § 9). */
export const SIMULATED_PAYMENT_MS = 2000

const REFERENCE_CHARACTERS = 16

/**
 * Authorises everything after the specified wait, and moves no money. The wait stands between the reading and the
 * writing of an order, so that the database is never kept waiting; the reference follows from the key.
 */
export function simulatedPayment({ delayMs = SIMULATED_PAYMENT_MS } = {}): PaymentProvider {
  return {
    name: 'simulated',
    async authorise({ idempotencyKey }) {
      await new Promise((resolve) => setTimeout(resolve, delayMs))
      const digest = await sha256Hex(`simulated payment ${idempotencyKey}`)
      return { outcome: 'authorised', reference: `sim_${digest.slice(0, REFERENCE_CHARACTERS)}` }
    },
    release: async () => {},
  }
}
