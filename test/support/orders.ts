import { count, eq } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { orderLines, orders, outbox, promotions } from '#server/platform/db/schema.ts'
import { findItem } from '#shared/catalogue/items.ts'
import { calculateCheckoutTotals } from '#shared/checkout/pricing.ts'
import { centsToKsh } from '#shared/format.ts'
import type { Order, OrderRequest } from '#shared/orders/contract.ts'
import type { Account } from './account.ts'
import { catalogue } from './context.ts'
import { get, postJson } from './posting.ts'

export const billing: OrderRequest['billing'] = {
  firstName: 'Wanjiru',
  lastName: 'Kamau',
  email: 'wanjiru@example.com',
  address: 'Ngong Road 12',
  address2: '',
  country: 'Kenya',
  state: 'Nairobi',
  zip: '00100',
}

export const tenPercentDiscount = { kind: 'percent', value: 10, minimumSubtotalCents: 0 } as const

/** By default, `expectedTotal` is the total without a promo code. */
export function orderRequest(
  lines: OrderRequest['lines'] = [{ id: 1, qty: 2 }],
  overrides: Partial<OrderRequest> = {},
): OrderRequest {
  return {
    lines,
    billing,
    payment: { token: 'tok_simulated', card: { brand: 'Visa', lastFour: '4242' } },
    expectedTotal: calculateCheckoutTotalKsh(lines),
    ...overrides,
  }
}

export function calculateCheckoutTotalKsh(
  lines: OrderRequest['lines'],
  terms?: Parameters<typeof calculateCheckoutTotals>[1],
): number {
  const priced = lines.map(({ id, qty }) => ({ price: getPriceKsh(id), qty }))
  return centsToKsh(calculateCheckoutTotals(priced, terms).totalCents)
}

export function getPriceKsh(id: number): number {
  return findItem(catalogue, id)?.price ?? 0
}

type OrderResponse = {
  status: number
  body: { order: Order; message: string; code: string; errors?: Record<string, string> } & Record<
    string,
    unknown
  >
}

export async function postOrder(
  ctx: ServiceContext,
  { bearer }: Pick<Account, 'bearer'>,
  body: unknown,
  key: string | undefined = crypto.randomUUID(),
): Promise<OrderResponse> {
  const response = await postJson(ctx, '/api/orders', body, {
    ...(key === '' ? {} : { 'Idempotency-Key': key }),
    ...bearer,
  })
  return { status: response.status, body: (await response.json()) as OrderResponse['body'] }
}

export async function readRecords({ db }: ServiceContext, userId: string) {
  const rows = await db.select().from(orders).where(eq(orders.userId, userId))
  const lines = await db
    .select({ orderId: orderLines.orderId, productId: orderLines.productId, qty: orderLines.qty })
    .from(orderLines)
    .innerJoin(orders, eq(orders.id, orderLines.orderId))
    .where(eq(orders.userId, userId))
  const emails = await db
    .select({ kind: outbox.kind, recipient: outbox.recipient, text: outbox.text })
    .from(outbox)
    .innerJoin(orders, eq(orders.id, outbox.subjectId))
    .where(eq(orders.userId, userId))
  return { orders: rows, lines, emails }
}

export async function countRows({ db }: ServiceContext) {
  const [[o], [l], [m]] = await db.batch([
    db.select({ n: count() }).from(orders),
    db.select({ n: count() }).from(orderLines),
    db.select({ n: count() }).from(outbox),
  ])
  return { orders: o?.n, lines: l?.n, emails: m?.n }
}

let codeCount = 0

export async function createPromotion(
  { db }: ServiceContext,
  overrides: Partial<typeof promotions.$inferInsert> = {},
) {
  const code = `TEST${++codeCount}`
  await db.insert(promotions).values({ code, ...tenPercentDiscount, createdAtMs: 0, ...overrides })
  return code
}

export async function countUses({ db }: ServiceContext, code: string) {
  return (await db.select().from(promotions).where(eq(promotions.code, code)).get())?.uses
}

export async function listOrders(
  ctx: ServiceContext,
  { bearer }: { bearer: Readonly<Record<string, string>> },
  query = '',
) {
  const response = await get(ctx, `/api/orders${query}`, bearer)
  return {
    status: response.status,
    body: (await response.json()) as { orders: Order[]; next: string | null },
  }
}
