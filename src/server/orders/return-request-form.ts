import { parseClient } from '#server/platform/auth/client.ts'
import type { FormFields } from '#server/platform/http/body.ts'
import type { FormAction, PostedForm } from '#server/platform/pages/posted-form.ts'
import { ORDER_KEY_PARAM, orderHref } from '#shared/orders/order-link.ts'
import {
  CANCEL_RETURN_FIELD,
  EXCHANGE_DELIVERY_FIELD,
  LATEST_RETURN_ID,
  parseReplacementId,
  parseReturnKind,
  parseReturnLines,
  parseReturnReason,
  RETURN_KIND_FIELD,
  RETURNS_ID,
} from '#shared/orders/return-form.ts'
import { matchRoute } from '#shared/routes.ts'
import { cancelOwnReturn } from './cancel-own-return.ts'
import { requestReturn } from './request-return.ts'

export async function submitReturnForm(form: PostedForm): ReturnType<FormAction<'order'>['submit']> {
  const { c, ctx, field } = form
  if (!field(CANCEL_RETURN_FIELD)) return submitReturnRequest(form)
  const { number = '' } = matchRoute(c.req.path).params
  const key = c.req.query(ORDER_KEY_PARAM) ?? ''
  const orderRef = { number, key, credential: c.var.sessionCookie }
  const { ipAddress } = await parseClient(c, ctx)
  const cancelled = await cancelOwnReturn(
    { ...orderRef, ipAddress, returnId: field(CANCEL_RETURN_FIELD) },
    ctx,
  )
  if (!cancelled.ok && cancelled.error.code !== 'not_found') return cancelled
  const elementId = cancelled.ok ? cancelled.data.elementId : RETURNS_ID
  return { ok: true, data: { redirectTo: `${orderHref({ number, key })}#${elementId}` } }
}

async function submitReturnRequest({ c, ctx, field }: PostedForm): ReturnType<FormAction<'order'>['submit']> {
  const kind = parseReturnKind(field(RETURN_KIND_FIELD))
  const reason = parseReturnReason(field('reason'))
  const lines = parseReturnLines(field).map((line) => ({
    ...line,
    replacementId: parseReplacementId(field(`for-${line.index}`)),
    otherItem: field(`other-${line.index}`).trim(),
  }))
  const fieldErrors = findMissingFields(field, { kind, reason, lines })
  if (!kind || !reason || Object.keys(fieldErrors).length > 0)
    return { ok: false, error: { code: 'invalid_fields', fieldErrors } }
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
      delivery: field(EXCHANGE_DELIVERY_FIELD),
      lines,
    },
    ctx,
  )
  // Visitors without access are redirected to the order's page, which responds with 404.
  if (!requested.ok && requested.error.code !== 'not_found') return requested
  const redirectTo = `${orderHref({ number, key })}#${LATEST_RETURN_ID}`
  return { ok: true, data: { redirectTo } }
}

type EnteredReturnRequest = {
  kind: ReturnType<typeof parseReturnKind>
  reason: ReturnType<typeof parseReturnReason>
  lines: readonly { index: number; replacementId: number | undefined; otherItem: string }[]
}

function findMissingFields(
  field: FormFields,
  { kind, reason, lines }: EnteredReturnRequest,
): Record<string, string> {
  const unnamed =
    kind === 'exchange' ? lines.filter((line) => line.replacementId === undefined && !line.otherItem) : []
  const emptyField = unnamed.map(({ index }) => `other-${index}`).find((name) => field.names.includes(name))
  return {
    ...(!kind && { [RETURN_KIND_FIELD]: 'Please choose a return or an exchange.' }),
    ...(lines.length === 0 && { 'qty-0': 'Please choose at least one item.' }),
    ...(!reason && { reason: 'Please choose a reason.' }),
    ...(unnamed.length > 0 &&
      !field('returnNote').trim() && {
        [emptyField ?? 'returnNote']: 'Please enter the size or item you’d like instead.',
      }),
  }
}

export function listReturnFormFields(names: readonly string[]): string[] {
  if (names.includes(CANCEL_RETURN_FIELD)) return [CANCEL_RETURN_FIELD]
  return [
    RETURN_KIND_FIELD,
    EXCHANGE_DELIVERY_FIELD,
    'reason',
    'returnNote',
    ...names.filter((name) => /^(qty|for|other)-\d{1,3}$/.test(name)),
  ]
}
