import { useAtomValue } from 'jotai'
import type { Promotion } from '#shared/contract/promotions.ts'
import { href } from '#shared/routes.ts'
import type { Cart } from '#shared/rules/cart.ts'
import { formatKsh, kshOf, nameWithSize } from '#shared/rules/format.ts'
import { type OrderTotals as Amounts, lineTotalCents } from '#shared/rules/pricing.ts'
import { chosenDeliveryAtom } from '../../state/billing.ts'
import { promotionNoticeAtom } from '../../state/promotion.ts'
import { OrderTotals } from '../../ui/order-totals.tsx'

const money = (cents: number) => formatKsh(kshOf(cents))

type CheckoutSummaryProps = {
  cart: Cart
  totals: Amounts
  promotion: Promotion | null | undefined
}

/** What the order comes to, row by row (§ 2, § 9). */
export function CheckoutSummary({ cart, totals, promotion }: CheckoutSummaryProps) {
  const notice = useAtomValue(promotionNoticeAtom)
  const { agreed, zoneNotice } = useAtomValue(chosenDeliveryAtom)
  return (
    <section className="panel panel--stitched stack summary checkout__summary" aria-labelledby="summary">
      <h2 id="summary">Order Summary</h2>
      <ul className="checkout__lines">
        {cart.map((line) => (
          <li key={line.id}>
            <span>{`${line.qty} × ${nameWithSize(line.title, line.size)}`}</span>
            <span>{money(lineTotalCents(line))}</span>
          </li>
        ))}
      </ul>
      {cart.some(({ isSizeAssumed }) => isSizeAssumed) && <UnchosenSizes cart={cart} />}
      <OrderTotals totals={totals} promoCode={promotion?.code} products={cart.length} delivery={agreed} />
      {zoneNotice !== undefined && <p role="status">{totals.shippingCents > 0 && zoneNotice}</p>}
      {totals.shippingCents === 0 && agreed.pickup === null && (
        <p className="banner banner--success">You qualify for free shipping!</p>
      )}
      <p className="field__error" role="status">
        {notice}
      </p>
    </section>
  )
}

/** The lines whose sizes nobody has chosen, and the way to choose them. */
function UnchosenSizes({ cart }: { cart: Cart }) {
  return (
    <div className="banner" role="note">
      <div>
        <p>You have not chosen these sizes yet:</p>
        <ul>
          {cart.map(
            ({ id, title, size, isSizeAssumed }) =>
              isSizeAssumed && <li key={id}>{nameWithSize(title, size)}</li>,
          )}
        </ul>
        <a className="checkout__choose" href={href('cart')}>
          Choose sizes in the cart
        </a>
      </div>
    </div>
  )
}
