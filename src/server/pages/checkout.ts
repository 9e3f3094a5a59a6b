import type { CheckoutView } from '#shared/page-data.ts'
import type { Deps } from '../deps.ts'
import { getPayment } from '../services/payments/check.ts'
import type { PageLoader, PageRequest } from './page-loader.ts'

/** Checkout; with `?order=`, an own order and the state of its payment, also for browsers without scripts. */
export const checkoutPage: PageLoader<'checkout'> = async (request, deps) => ({
  status: 200,
  data: await viewOf(request, deps).catch((error: unknown) => {
    // The form needs no database; the browser requests it again.
    request.onFailure(error)
    return null
  }),
})

async function viewOf({ url, sessionCookie, origin }: PageRequest, deps: Deps): Promise<CheckoutView> {
  const number = url.searchParams.get('order')
  if (!number || !sessionCookie) return null
  const found = await getPayment({ credential: sessionCookie, number, origin }, deps)
  return found.ok ? found.data : null
}
