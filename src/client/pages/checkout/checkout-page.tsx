import { useAtomValue, useSetAtom } from 'jotai'
import { useEffect } from 'react'
import { href } from '#shared/routes.ts'
import { navigate } from '../../router/navigate.ts'
import type { PageProps } from '../../router/page.ts'
import { closePlacedAtom, placingAtom } from '../../state/order.ts'
import { Ordering } from './ordering.tsx'
import { PlacedOrder } from './placed-order.tsx'

/**
 * Checkout (§ 2): the placed order, or that the cart is empty, or the order summary beside the form. A placed order
 * gets an address of its own, so that a reload shows it again.
 */
function CheckoutPage({ location }: PageProps<'checkout'>) {
  const placing = useAtomValue(placingAtom)
  const closePlaced = useSetAtom(closePlacedAtom)
  const addressed = location.search.get('order')
  const placed = placing.status === 'placed' ? placing.number : undefined

  useEffect(() => {
    if (placed && placed === addressed) closePlaced()
    else if (placed) navigate(href('checkout', {}, { order: placed }), { replace: true })
  }, [placed, addressed, closePlaced])

  const number = placed ?? addressed
  return (
    <div className="page checkout">
      <h1>Checkout</h1>
      {number ? <PlacedOrder number={number} /> : <Ordering placing={placing} />}
    </div>
  )
}

export { CheckoutPage as Page }
