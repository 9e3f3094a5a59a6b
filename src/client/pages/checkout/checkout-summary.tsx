import { useAtomValue } from 'jotai'
import type { Promotion } from '#shared/contract/promotions.ts'
import type { Cart } from '#shared/rules/cart.ts'
import { formatKsh, nameWithSize } from '#shared/rules/format.ts'
import { kshOf, lineTotalCents, type OrderTotals, VAT_PERCENT } from '#shared/rules/pricing.ts'
import { promotionNoticeAtom } from '../../state/promotion.ts'
import { Totals, type TotalsRow } from '../../ui/totals.tsx'

const money = (cents: number) => formatKsh(kshOf(cents))

type CheckoutSummaryProps = { cart: Cart; totals: OrderTotals; promotion: Promotion | null | undefined }

/** What the order comes to, row by row (§ 2, § 9). */
export function CheckoutSummary({ cart, totals, promotion }: CheckoutSummaryProps) {
  const notice = useAtomValue(promotionNoticeAtom)
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
      <Totals rows={rowsOf(totals, promotion?.code, cart.length)} />
      {totals.shippingCents === 0 && <p className="banner banner--success">You qualify for free shipping!</p>}
      <p className="field__error" role="status">
        {notice}
      </p>
    </section>
  )
}

/** The totals of an order as rows that add up to the total, rounded to whole KSH. */
export function rowsOf(totals: OrderTotals, code: string | null | undefined, products: number): TotalsRow[] {
  const { subtotalCents, discountCents, shippingCents, vatCents, roundingCents, totalCents } = totals
  return [
    { label: 'Products', value: String(products) },
    { label: 'Subtotal', value: money(subtotalCents) },
    ...(discountCents > 0
      ? [{ label: code ? `Discount (${code})` : 'Discount', value: `−${money(discountCents)}` }]
      : []),
    { label: 'Shipping', value: shippingCents === 0 ? 'FREE' : money(shippingCents) },
    { label: `VAT (${VAT_PERCENT}%)`, value: money(vatCents) },
    ...(roundingCents === 0
      ? []
      : [
          {
            label: 'Rounding',
            value: `${roundingCents < 0 ? '−' : '+'}${money(Math.abs(roundingCents))}`,
          },
        ]),
    { label: 'Total', value: money(totalCents), strong: true },
  ]
}
