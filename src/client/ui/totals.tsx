import { formatKsh, kshOf } from '#shared/rules/format.ts'
import type { OrderTotals } from '#shared/rules/pricing.ts'
import { shop } from '#shared/shop.ts'

/** A row of totals: its label, and the amount as text; `strong` marks the result. */
export type TotalsRow = { label: string; value: string; strong?: boolean }

/** Totals under each other that add up to the last. */
export function Totals({ rows }: { rows: readonly TotalsRow[] }) {
  return (
    <dl className="totals">
      {rows.map(({ label, value, strong }) => (
        <div key={label} className={strong ? 'totals__row totals__row--strong' : 'totals__row'}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const money = (cents: number) => formatKsh(kshOf(cents))

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
    { label: `VAT (${shop.vatPercent}%)`, value: money(vatCents) },
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
