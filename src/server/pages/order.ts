import type { Context } from 'hono'
import { href, matchRoute, notFoundPage } from '#shared/routes.ts'
import { ORDER_KEY_PARAM } from '#shared/rules/order-link.ts'
import type { AppEnv } from '../app-env.ts'
import type { Deps } from '../deps.ts'
import { parseForm } from '../http/body.ts'
import { errorResponse } from '../http/errors.ts'
import { cancelOwnOrder } from '../services/orders/cancel.ts'
import { viewOrder } from '../services/orders/view.ts'
import type { PageLoader } from './page-loader.ts'

/** An order's page, for its owner or whoever has a signed link; the 404 page for everybody else. */
export const orderPage: PageLoader<'order'> = async ({ url, params, sessionCookie, origin }, deps) => {
  const key = url.searchParams.get(ORDER_KEY_PARAM) ?? ''
  const which = { number: params.number ?? '', key, credential: sessionCookie }
  const found = await viewOrder({ ...which, origin }, deps)
  if (!found.ok) return { status: 404, data: null, head: { title: notFoundPage.title } }
  return { status: 200, data: found.data, head: { title: `Order ${found.data.order.number}` } }
}

/** The button that cancels an order. It leads back to the order's page, which shows what became of it. */
export function cancelOrderForm(deps: Deps) {
  return async function cancelOrderForm(c: Context<AppEnv>): Promise<Response> {
    const form = await parseForm(c)
    if (!form.ok) return errorResponse(c, form.error)
    const { number = '' } = matchRoute(c.req.path).params
    const cancelled = await cancelOwnOrder({ credential: c.var.sessionCookie, number }, deps)
    const isSignedOut = !cancelled.ok && cancelled.error.code === 'unauthorized'
    return c.redirect(isSignedOut ? href('login') : href('order', { number }), 303)
  }
}
