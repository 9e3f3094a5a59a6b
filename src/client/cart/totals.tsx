import { type CartLine, countUnits } from '#shared/cart/cart.ts'
import { type DeliveryQuote, getShippingLabel } from '#shared/checkout/delivery.ts'
import type { OrderTotals as Amounts } from '#shared/checkout/pricing.ts'
import { centsToKsh, formatKsh } from '#shared/format.ts'

export type TotalsRow = { label: string; value: string; isStrong?: boolean }

export function Totals({ rows }: { rows: readonly TotalsRow[] }) {
  return (
    <dl className="totals">
      {rows.map(({ label, value, isStrong }) => (
        <div key={label} className={isStrong ? 'totals__row totals__row--strong' : 'totals__row'}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

type OrderTotalsProps = {
  totals: Amounts
  vatPercent: number
  promoCode: string | null | undefined
  lines: readonly Pick<CartLine, 'qty'>[]
  delivery: Omit<DeliveryQuote, 'feeKsh'>
  /** Formats an amount in cents: `KSH 1250` at checkout (§ 2), and `KSH 1,250` for submitted orders. */
  format?: (cents: number) => string
}

export function OrderTotals({
  totals,
  vatPercent,
  promoCode,
  lines,
  delivery,
  format: money = formatCentsAsKsh,
}: OrderTotalsProps) {
  const { subtotalCents, discountCents, shippingCents, vatCents, roundingCents, totalCents } = totals
  const discount = promoCode ? `Discount (${promoCode})` : 'Discount'
  const sign = roundingCents < 0 ? '−' : '+'
  const rows: TotalsRow[] = [
    { label: 'Items', value: String(countUnits(lines)) },
    { label: 'Subtotal', value: money(subtotalCents) },
    ...(discountCents > 0 ? [{ label: discount, value: `−${money(discountCents)}` }] : []),
    { label: getShippingLabel(delivery), value: shippingCents === 0 ? 'FREE' : money(shippingCents) },
    { label: `VAT (${vatPercent}%)`, value: money(vatCents) },
    ...(roundingCents === 0
      ? []
      : [{ label: 'Rounding', value: `${sign}${money(Math.abs(roundingCents))}` }]),
    { label: 'Total', value: money(totalCents), isStrong: true },
  ]
  return <Totals rows={rows} />
}

export const formatCentsAsKsh = (cents: number) => formatKsh(centsToKsh(cents))
