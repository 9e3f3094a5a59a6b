import { createApp } from '#server/app.ts'
import type { ServiceContext } from '#server/context.ts'
import type { PaymentProvider, Payments } from '#server/payments/providers/provider.ts'
import { manualPayment, simulatedPayment } from '#server/payments/providers/simulated/simulated.ts'
import type { Order, OrderRequest } from '#shared/orders/contract.ts'
import type { PaymentState } from '#shared/payments/contract.ts'
import type { PaymentProviderName } from '#shared/payments/payment.ts'
import type { Account } from './account.ts'

export type Change = Partial<Omit<PaymentProvider, 'name'>>

/** Every provider, on offer: the simulated card without its wait, and others that do what the test says. */
export function testPayments(changes: Partial<Record<PaymentProviderName, Change>> = {}): Payments {
  const ways = ['simulated', 'mpesa', 'paystack'] as const
  const remote = (name: 'mpesa' | 'paystack'): PaymentProvider => ({
    name,
    isRepeatable: false,
    begin: async ({ id }) => ({ outcome: 'pending', reference: `ref-${id}` }),
    check: async () => ({ outcome: 'pending' }),
    refund: async () => ({ outcome: 'requested' }),
    ...changes[name],
  })
  return {
    ways,
    providers: [
      { ...simulatedPayment({ delayMs: 0 }), ...changes.simulated },
      manualPayment,
      remote('mpesa'),
      remote('paystack'),
    ],
  }
}

/** The choice of M-Pesa, by a phone that no other test uses. */
export function byMpesa(phone = newPhone()): OrderRequest['payment'] {
  return { provider: 'mpesa', phone }
}

let phones = 0
function newPhone(): string {
  phones += 1
  return `07${String(10_000_000 + phones)}`
}

type PaymentAnswer = {
  status: number
  retryAfter: string | null
  body: { order: Order; payment: PaymentState; message: string; code: string }
}

/** Makes one of the calls about an own order's payment. */
export async function callOrder(
  ctx: ServiceContext,
  { bearer }: Pick<Account, 'bearer'>,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<PaymentAnswer> {
  const response = await createApp(ctx).request(`https://pamba.test/api/orders/${path}`, {
    method,
    headers: { ...bearer, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return {
    status: response.status,
    retryAfter: response.headers.get('Retry-After'),
    body: (await response.json()) as PaymentAnswer['body'],
  }
}
