import { env } from 'cloudflare:workers'
import type { DataContext, ServiceContext } from '#server/context.ts'
import { parseConfig } from '#server/env.ts'
import type { PaymentRow } from '#server/payments/payment-attempts.ts'
import type { PaymentProvider, Payments } from '#server/payments/providers/provider.ts'
import { createPayments } from '#server/payments/providers/registry.ts'
import { createSimulatedProvider } from '#server/payments/providers/simulated/simulated.ts'
import { newId } from '#server/platform/crypto.ts'
import { connectDatabase } from '#server/platform/db/client.ts'
import { refunds } from '#server/platform/db/schema.ts'
import type { Order, OrderRequest } from '#shared/orders/contract.ts'
import type { PaymentState } from '#shared/payments/contract.ts'
import type { PaymentMethod, PaymentProviderName } from '#shared/payments/providers.ts'
import type { Account } from './account.ts'
import { getApp } from './posting.ts'

export type ProviderOverrides = Partial<Omit<PaymentProvider, 'name'>>

const { providers: configured } = createPayments(parseConfig({ ...env, ENVIRONMENT: 'local' }), {
  db: connectDatabase((env as unknown as { DB: D1Database }).DB),
  clock: Date.now,
  waitUntil: () => {},
})

export function testPayments(overrides: Partial<Record<PaymentMethod, ProviderOverrides>> = {}): Payments {
  const fakes: Partial<Record<PaymentProviderName, ProviderOverrides>> = {
    simulated: { startPayment: createSimulatedProvider({ delayMs: 0 }).startPayment },
    mpesa: pending,
    paystack: pending,
  }
  return {
    methods: ['simulated', 'mpesa', 'paystack'],
    providers: configured.map((provider) => ({
      ...provider,
      ...fakes[provider.name],
      ...(provider.name !== 'manual' && overrides[provider.name]),
    })),
  }
}

const pending: ProviderOverrides = {
  startPayment: async ({ id }) => ({ outcome: 'pending', reference: `ref-${id}` }),
  queryPayment: async () => ({ outcome: 'pending' }),
  refund: async () => ({ outcome: 'requested' }),
}

export function createMpesaPayment(phone = newPhoneNumber()): OrderRequest['payment'] {
  return { provider: 'mpesa', phone }
}

let phoneCount = 0
function newPhoneNumber(): string {
  phoneCount += 1
  return `07${String(10_000_000 + phoneCount)}`
}

/** By default, refunds the whole payment. */
export async function insertRefund(
  payment: PaymentRow | undefined,
  overrides: Partial<typeof refunds.$inferInsert>,
  { db, clock, randomBytes }: DataContext,
): Promise<void> {
  if (!payment) throw new Error('There is no payment to refund.')
  const { orderId, id: paymentId, amountCents } = payment
  const row = { id: newId({ randomBytes }), orderId, paymentId, amountCents, createdAtMs: clock() }
  await db.insert(refunds).values({ ...row, reason: 'other', ...overrides })
}

type PaymentResponse = {
  status: number
  retryAfter: string | null
  body: { order: Order; payment: PaymentState; message: string; code: string }
}

export async function callOrder(
  ctx: ServiceContext,
  { bearer }: Pick<Account, 'bearer'>,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<PaymentResponse> {
  const response = await getApp(ctx).request(`https://pamba.test/api/orders/${path}`, {
    method,
    headers: { ...bearer, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return {
    status: response.status,
    retryAfter: response.headers.get('Retry-After'),
    body: (await response.json()) as PaymentResponse['body'],
  }
}
