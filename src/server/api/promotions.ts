import { Hono } from 'hono'
import { checkPromotion as call } from '#shared/contract/promotions.ts'
import type { Deps } from '../deps.ts'
import { limitByAddress } from '../middleware/limit-by-address.ts'
import { checkPromotion } from '../services/promotions/check.ts'
import { answerError } from './answer.ts'
import { jsonOnly, validBody } from './body.ts'
import { answerUnknownProduct } from './orders.ts'

/** `POST /api/promotions/check`; guessing codes is limited by the visitor's address. */
export function promotionsApi(deps: Deps) {
  return new Hono().post(
    call.path,
    limitByAddress(deps.limits.tries, 'promotion'),
    jsonOnly,
    validBody(call),
    async (c) => {
      const outcome = await checkPromotion(c.req.valid('json'), deps)
      switch (outcome.kind) {
        case 'usable':
          return c.json({ promotion: outcome.promotion, discountCents: outcome.discountCents })
        case 'refused':
          return answerError(c, outcome.refusal.code, { message: outcome.refusal.message })
        case 'unknown_product':
          return answerUnknownProduct(c, outcome.productIds)
      }
    },
  )
}
