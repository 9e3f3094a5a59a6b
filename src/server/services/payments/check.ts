import { and, eq } from 'drizzle-orm'
import type { Order, PaymentState } from '#shared/contract/orders.ts'
import { orders } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import type { CheckResult } from '../../payment/provider.ts'
import { within } from '../../payment/provider-request.ts'
import type { Result, ServiceError } from '../../result.ts'
import { authenticate, type Credential } from '../auth/sessions.ts'
import { attemptOf, type OrderRecord, orderRecordOf, readOrderRecord } from '../orders/order-with-payments.ts'
import { orderAndPayment } from './payment-state.ts'
import { recordOutcome } from './record-outcome.ts'
import type { StartDeps } from './start-attempt.ts'
import type { PaymentRow } from './stored-payment.ts'

/** The timeout of a provider's query; after it, the last known state is returned. */
const ANSWER_WITHIN_MS = 1500

/** An own order, as a request names it. */
export type OwnOrder = { credential: Credential | null; number: string }

/** The order of whoever is signed in by a credential; `not_found` for anybody else's. One round trip. */
export async function findOwnOrder(
  { credential, number }: OwnOrder,
  deps: Pick<Deps, 'db' | 'clock' | 'background'>,
): Promise<Result<OrderRecord, ServiceError<'unauthorized' | 'not_found'>>> {
  const authenticated = await authenticate({ credential }, deps, (userId) =>
    readOrderRecord(deps.db, and(eq(orders.userId, userId), eq(orders.number, number.toUpperCase()))),
  )
  if (!authenticated.ok) return authenticated
  const record = orderRecordOf(authenticated.data.read)
  return record ? { ok: true, data: record } : { ok: false, error: { code: 'not_found' } }
}

/**
 * An own order and the state of its payment. The provider is queried when that is due, and its answer is recorded
 * down; without an answer in time, what is known is returned.
 */
export async function getPayment(
  { origin, ...which }: OwnOrder & { origin: string },
  deps: StartDeps,
): Promise<Result<{ order: Order; payment: PaymentState }, ServiceError<'unauthorized' | 'not_found'>>> {
  const found = await findOwnOrder(which, deps)
  if (!found.ok) return found
  const record = found.data
  const isDue = ({ nextCheckAtMs }: PaymentRow) => nextCheckAtMs !== null && nextCheckAtMs <= deps.clock()
  const due = record.payments.find(isDue)
  if (!due) return { ok: true, data: orderAndPayment(record, deps) }
  const checked = checkAttempt({ record, payment: due, origin }, deps)
  const inTime = await within(ANSWER_WITHIN_MS, checked)
  if (!inTime) deps.background(checked)
  return { ok: true, data: orderAndPayment(inTime ?? record, deps) }
}

/** Asks a provider what became of an attempt, and writes it down. Rejects when the database fails. */
export async function checkAttempt(
  { record, payment, origin }: { record: OrderRecord; payment: PaymentRow; origin: string },
  deps: StartDeps,
): Promise<OrderRecord> {
  const result = await askProvider({ record, payment }, deps)
  return recordOutcome({ record, payment, result, origin }, deps)
}

/** A provider's answer about an attempt. Never rejects. */
export async function askProvider(
  { record, payment }: { record: OrderRecord; payment: PaymentRow },
  { payments: { providers } }: Pick<Deps, 'payments'>,
): Promise<CheckResult> {
  const provider = providers.find(({ name }) => name === payment.provider)
  if (!provider) return { outcome: 'unknown', error: 'This provider is not configured.' }
  try {
    return await provider.check(attemptOf(payment, record))
  } catch (error) {
    return { outcome: 'unknown', error: String(error) }
  }
}
