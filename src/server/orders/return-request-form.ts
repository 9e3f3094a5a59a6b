import { parseClient } from '#server/platform/auth/client.ts'
import type { FormAction, PostedForm } from '#server/platform/pages/posted-form.ts'
import { ORDER_KEY_PARAM, orderHref } from '#shared/orders/order-link.ts'
import {
  parseReturnKind,
  parseReturnLines,
  parseReturnReason,
  RETURN_KIND_FIELD,
  RETURNS_ID,
} from '#shared/orders/return-form.ts'
import { matchRoute } from '#shared/routes.ts'
import { requestReturn } from './create-return.ts'
import { invalidReturn } from './order-returns.ts'

export async function submitReturnRequest({
  c,
  ctx,
  field,
}: PostedForm): ReturnType<FormAction<'order'>['submit']> {
  const kind = parseReturnKind(field(RETURN_KIND_FIELD))
  const reason = parseReturnReason(field('reason'))
  if (!kind) return invalidReturn('Please choose a return or an exchange.')
  if (!reason) return invalidReturn('Please choose a reason.')
  if (kind === 'exchange' && !field('returnNote').trim())
    return invalidReturn('Please enter the size or item you’d like instead.')
  const { number = '' } = matchRoute(c.req.path).params
  const key = c.req.query(ORDER_KEY_PARAM) ?? ''
  const requested = await requestReturn(
    {
      number,
      key,
      credential: c.var.sessionCookie,
      ipAddress: (await parseClient(c, ctx)).ipAddress,
      kind,
      reason,
      note: field('returnNote'),
      lines: parseReturnLines(field),
    },
    ctx,
  )
  // Visitors without access are redirected to the order's page, which responds with 404.
  if (!requested.ok && requested.error.code !== 'not_found') return requested
  const redirectTo = `${orderHref({ number, key })}#${RETURNS_ID}`
  return { ok: true, data: { redirectTo } }
}

export function listReturnRequestFields(names: readonly string[]): string[] {
  return [RETURN_KIND_FIELD, 'reason', 'returnNote', ...names.filter((name) => /^qty-\d{1,3}$/.test(name))]
}
