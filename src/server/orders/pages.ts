import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Context, Next } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { type Client, parseClient } from '#server/platform/auth/client.ts'
import { verifyOrderKey } from '#server/platform/auth/signed-link.ts'
import { setEmailVerified } from '#server/platform/auth/verified-email.ts'
import { orders, users } from '#server/platform/db/schema.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { createInvalidBodyError, type FormFields } from '#server/platform/http/body.ts'
import { getRequestOrigin } from '#server/platform/http/request.ts'
import type { PageLoader, PageRequest } from '#server/platform/pages/page-loader.ts'
import {
  createFormResult,
  createInvalidFieldsError,
  type FormAction,
  pickValues,
} from '#server/platform/pages/posted-form.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { requestOrderLinkCall } from '#shared/orders/contract.ts'
import { ORDER_KEY_PARAM, ORDER_LINK_FIELDS, orderHref } from '#shared/orders/order-link.ts'
import { isReturnForm } from '#shared/orders/return-form.ts'
import type { CheckoutView } from '#shared/page-data.ts'
import type { Payment } from '#shared/payments/contract.ts'
import { findPaymentPhoneProblem } from '#shared/payments/payment.ts'
import {
  hasFlow,
  listProvidersWithFlow,
  PAYMENT_METHODS,
  PROMPT_PHONE_FIELD,
} from '#shared/payments/providers.ts'
import { href, matchRoute, routes } from '#shared/routes.ts'
import { cancelOwnOrder } from './cancel-order.ts'
import { findVisibleOrder, viewOrder } from './order-page-view.ts'
import { renderReceipt } from './order-receipt.ts'
import { recipientEmail } from './order-record.ts'
import { payByLink, payOwnOrder } from './pay-order.ts'

import { refreshPayment } from './query-payment.ts'
import { requestOrderLink } from './request-link.ts'
import { listReturnFormFields, submitReturnForm } from './return-request-form.ts'

export const loadOrderPage: PageLoader<'order'> = async (request, ctx) => {
  const { url, params, sessionCookie, origin } = request
  const key = url.searchParams.get(ORDER_KEY_PARAM) ?? ''
  const orderRef = { number: params.number ?? '', key, credential: sessionCookie }
  const found = await viewOrder({ ...orderRef, origin }, ctx)
  if (!found.ok) return { status: 404, data: null, head: { title: routes.order.title } }
  const { number } = found.data.order
  if (found.data.isOwner && (await verifyOrderKey(key, number, ctx))) {
    const client = await request.client()
    ctx.waitUntil(verifyOwnersEmail(number, client, ctx).catch(request.onFailure))
  }
  return { status: 200, data: found.data, head: { title: `Order ${number}` } }
}

/**
 * Opening an order's emailed link while logged in verifies the account's address, if the order's emails go there. The
 * caller must have checked the link and the session.
 */
async function verifyOwnersEmail(number: string, client: Client, ctx: ServiceContext): Promise<void> {
  const owner = ctx.db
    .select({ id: orders.userId })
    .from(orders)
    .where(and(eq(orders.number, number), eq(sql`lower(${recipientEmail})`, users.email)))
  await setEmailVerified(inArray(users.id, owner), client, ctx)
}

export const orderAction: FormAction<'order'> = {
  async submit(form) {
    const { c, ctx, field } = form
    if (isReturnForm(field.names)) return submitReturnForm(form)
    const { number = '' } = matchRoute(c.req.path).params
    const key = c.req.query(ORDER_KEY_PARAM)
    if (!field('payWith')) {
      const cancelled = await cancelOwnOrder({ credential: c.var.sessionCookie, number }, ctx)
      const isLoggedOut = !cancelled.ok && cancelled.error.code === 'unauthorized'
      return { ok: true, data: { redirectTo: isLoggedOut ? href('login') : href('order', { number }) } }
    }
    const entered = readEnteredPayment(field)
    if (!entered.ok) return entered
    const input = {
      credential: c.var.sessionCookie,
      number,
      paymentDetails: entered.data,
      origin: getRequestOrigin(c.req, ctx.config),
    }
    const paid =
      key === undefined
        ? await payOwnOrder(input, ctx)
        : await payByLink({ ...input, key, client: await parseClient(c, ctx) }, ctx)
    if (!paid.ok && paid.error.code === 'unauthorized')
      return { ok: true, data: { redirectTo: href('login') } }
    if (!paid.ok && paid.error.code !== 'not_found') return paid
    const redirectTo = orderHref({ number, key })
    return { ok: true, data: { redirectTo } }
  },
  async pageData(field, error, load) {
    const view = await load()
    if (!view || !isReturnForm(field.names))
      return view && { ...view, posted: createFormResult(['payWith', PROMPT_PHONE_FIELD])(field, error) }
    const returnError = error?.fieldErrors && !view.returnable ? NOT_RETURNABLE_ERROR : error
    return { ...view, posted: createFormResult(listReturnFormFields(field.names))(field, returnError) }
  },
}

/** Replaces field errors if the page no longer shows the form to which the fields belong. */
const NOT_RETURNABLE_ERROR: ServiceError = {
  code: 'status_not_allowed',
  message:
    'You can no longer return or exchange these items online. Please contact us and we’ll see what we can do.',
}

/** With `?order=`, loads the shopper's order and its payment, so that the page shows them without JavaScript. */
export const loadCheckoutPage: PageLoader<'checkout'> = async (request, ctx) => ({
  status: 200,
  data: await loadOrder(request, ctx).catch((error: unknown) => {
    // The page works without this data, and its script requests the data again.
    request.onFailure(error)
    return null
  }),
})

async function loadOrder(
  { url, sessionCookie, origin }: PageRequest,
  ctx: ServiceContext,
): Promise<CheckoutView> {
  const number = url.searchParams.get('order')
  if (!number || !sessionCookie) return null
  const found = await refreshPayment({ credential: sessionCookie, number, origin }, ctx)
  return found.ok ? { ...found.data, posted: null } : null
}

/** Refuses payment methods with the `card` flow, because their form needs JavaScript. */
export const payAgainAction: FormAction<'checkout'> = {
  async submit({ c, ctx, field }) {
    const entered = readEnteredPayment(field)
    if (!entered.ok) return entered
    const number = c.req.query('order') ?? ''
    const own = { credential: c.var.sessionCookie, number, origin: getRequestOrigin(c.req, ctx.config) }
    const paid = await payOwnOrder({ ...own, paymentDetails: entered.data }, ctx)
    if (!paid.ok && paid.error.code === 'unauthorized')
      return { ok: true, data: { redirectTo: href('login') } }
    if (!paid.ok && !paid.error.details) return paid
    return { ok: true, data: { redirectTo: href('checkout', {}, { order: number }) } }
  },
  async pageData(field, error, load) {
    const view = await load()
    return view && { ...view, posted: createFormResult(['payWith', PROMPT_PHONE_FIELD])(field, error) }
  },
}

function readEnteredPayment(field: FormFields): Result<Payment> {
  const { payWith, [PROMPT_PHONE_FIELD]: phone } = pickValues(field, ['payWith', PROMPT_PHONE_FIELD])
  const method = PAYMENT_METHODS.find((name) => name === payWith) ?? listProvidersWithFlow('prompt')[0]
  if (!method || hasFlow(method, 'card')) return { ok: false, error: cardNeedsScriptsError }
  const problem = hasFlow(method, 'prompt') && findPaymentPhoneProblem(phone, method)
  if (problem) return createInvalidFieldsError({ message: problem, fields: [PROMPT_PHONE_FIELD] })
  return { ok: true, data: hasFlow(method, 'prompt') ? { provider: method, phone } : { provider: method } }
}

const cardNeedsScriptsError = {
  code: 'invalid_fields',
  message:
    'Card payments need JavaScript. Please wait for the page to load and try again, or pay another way.',
} as const satisfies ServiceError

export const findOrderAction: FormAction<'findOrder'> = {
  pageData: (field, error) => ({
    ...createFormResult(ORDER_LINK_FIELDS)(field, error),
    values: pickValues(field, ORDER_LINK_FIELDS),
  }),
  async submit({ c, ctx, field }) {
    const input = requestOrderLinkCall.request.safeParse(pickValues(field, ORDER_LINK_FIELDS))
    if (!input.success) return { ok: false, error: createInvalidBodyError(input.error.issues) }
    const origin = getRequestOrigin(c.req, ctx.config)
    const result = await requestOrderLink({ ...input.data, client: await parseClient(c, ctx), origin }, ctx)
    return result.ok ? { ok: true, data: {} } : result
  },
}

export function downloadReceipt(ctx: ServiceContext) {
  return async function downloadReceipt(c: Context<AppEnv>, next: Next) {
    const number = c.req.param('number') ?? ''
    const key = c.req.query(ORDER_KEY_PARAM) ?? ''
    const found = await findVisibleOrder({ number, key, credential: c.var.sessionCookie }, ctx)
    if (!found.ok) return next()
    const { contact } = (await ctx.content.load()).pages
    const { name, contentType, body } = await renderReceipt(found.data.record, contact, ctx)
    c.header('Content-Disposition', `attachment; filename="${name}"`)
    c.header('Cache-Control', 'private, no-store')
    return c.body(body, 200, { 'Content-Type': contentType })
  }
}
