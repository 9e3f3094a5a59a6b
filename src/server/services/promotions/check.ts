import { eq } from 'drizzle-orm'
import type { z } from 'zod/mini'
import type { checkPromotion as contract, Promotion } from '#shared/contract/promotions.ts'
import { discountCentsOf, subtotalCentsOf } from '#shared/rules/pricing.ts'
import { promotions } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { soldLines } from '../catalogue/sold-lines.ts'
import { type Refusal, validatePromotion } from './validate.ts'

export type CheckOutcome =
  | { kind: 'usable'; promotion: Promotion; discountCents: number }
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'unknown_product'; productIds: readonly number[] }

/** Whether a code can be used with these lines now, and what it takes off. Takes no use of it: the order does. */
export async function checkPromotion(
  { code, lines }: z.infer<typeof contract.request>,
  deps: Pick<Deps, 'db' | 'catalogue' | 'clock'>,
): Promise<CheckOutcome> {
  const sold = await soldLines(lines, deps)
  if ('unknownIds' in sold) return { kind: 'unknown_product', productIds: sold.unknownIds }
  const row = await deps.db.select().from(promotions).where(eq(promotions.code, code)).get()
  const subtotalCents = subtotalCentsOf(sold.lines)
  const verdict = validatePromotion(row, subtotalCents, deps.clock())
  if ('refusal' in verdict) return { kind: 'refused', refusal: verdict.refusal }
  const { kind, value, minimumSubtotalCents } = verdict.usable
  const promotion = { code, kind, value, minimumSubtotalCents }
  return { kind: 'usable', promotion, discountCents: discountCentsOf(subtotalCents, promotion) }
}
