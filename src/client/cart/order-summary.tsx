import { useAtomValue } from 'jotai'
import { bootAtom } from '#client/app/boot.ts'
import { storedBillingAtom } from '#client/app/drafts.ts'
import { userAtom } from '#client/app/session.ts'
import type { Cart } from '#shared/cart/cart.ts'
import { CART_SHIPPING_FEE_KSH, VAT_PERCENT } from '#shared/checkout/fees.ts'
import {
  calculateCartTotals,
  calculateFreeShippingGapKsh,
  hasFreeShipping,
} from '#shared/checkout/pricing.ts'
import { formatKsh } from '#shared/format.ts'
import { hasFlow } from '#shared/payments/providers.ts'
import { href } from '#shared/routes.ts'
import { PromoCode } from './promo-code.tsx'
import { promotionAtom } from './promotion.ts'
import { formatCentsAsKsh, Totals, type TotalsRow } from './totals.tsx'

const cardLogos = [
  { name: 'Visa', file: 'visa' },
  { name: 'Mastercard', file: 'mastercard' },
  { name: 'American Express', file: 'amex' },
]
const promptLogos = [{ name: 'M-Pesa', file: 'mpesa' }]

export function OrderSummary({ cart }: { cart: Cart }) {
  const promotion = useAtomValue(promotionAtom)
  const { label, feeKsh } = useShipping()
  const [firstMethod, ...otherMethods] = useAtomValue(bootAtom).payments
  const isPromptFirst = firstMethod !== undefined && hasFlow(firstMethod, 'prompt')
  const hasPrompt = isPromptFirst || otherMethods.some((method) => hasFlow(method, 'prompt'))
  const logos = isPromptFirst ? [...promptLogos, ...cardLogos] : [...cardLogos, ...promptLogos]
  const totals = calculateCartTotals(cart, promotion, feeKsh)
  const { subtotalCents, discountCents, shippingCents, vatCents, totalCents } = totals
  const rows: TotalsRow[] = [
    { label: 'Subtotal', value: formatCentsAsKsh(subtotalCents) },
    ...(promotion && discountCents > 0
      ? [{ label: `Discount (${promotion.code})`, value: `−${formatCentsAsKsh(discountCents)}` }]
      : []),
    { label, value: shippingCents === 0 ? 'FREE' : formatCentsAsKsh(shippingCents) },
    { label: `VAT (${VAT_PERCENT}%)`, value: formatCentsAsKsh(vatCents) },
    { label: 'Total amount', value: formatCentsAsKsh(totalCents), isStrong: true },
  ]
  return (
    <section className="panel panel--stitched stack summary" aria-labelledby="summary">
      <h2 id="summary">Order Summary</h2>
      <FreeShipping subtotalCents={subtotalCents} />
      <Totals rows={rows} />
      <PromoCode cart={cart} />
      <a className="button button--wide" href={href('checkout')}>
        Proceed to Checkout
      </a>
      <p className="cart__secure note">
        <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
          <path d="M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3" />
        </svg>
        {`Secure checkout: we never see your card number${hasPrompt ? ' or M-Pesa PIN' : ''}.`}
      </p>
      <div className="cart__payments">
        <h3 id="accepted">We Accept</h3>
        <ul aria-labelledby="accepted">
          {logos.map(({ name, file }) => (
            <li key={file}>
              <img src={`/images/payments/${file}.svg`} alt={name} width="48" height="32" />
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

/** Replaces the summary's link on narrow screens. */
export function CheckoutBar({ cart }: { cart: Cart }) {
  const promotion = useAtomValue(promotionAtom)
  const { totalCents } = calculateCartTotals(cart, promotion, useShipping().feeKsh)
  return (
    <p className="cart__bar spread">
      <span>
        Total <b>{formatCentsAsKsh(totalCents)}</b>
      </span>
      <a className="button" href={href('checkout')}>
        Proceed to Checkout
      </a>
    </p>
  )
}

/** Estimates the fee if the county's isn't known. No county's fee exceeds the estimate. */
function useShipping(): { label: string; feeKsh?: number } {
  const { zones, highestFeeKsh } = useAtomValue(bootAtom).delivery
  const user = useAtomValue(userAtom)
  const typed = useAtomValue(storedBillingAtom)
  const county = (typed?.account === user?.email && typed?.state) || user?.state
  const zone = county ? zones[county] : undefined
  if (zone) return { label: zone.name ? `Shipping (${zone.name})` : 'Shipping', feeKsh: zone.feeKsh }
  const feeKsh = Math.max(CART_SHIPPING_FEE_KSH, highestFeeKsh ?? 0)
  return { label: 'Shipping (estimate)', feeKsh }
}

function FreeShipping({ subtotalCents }: { subtotalCents: number }) {
  const gapKsh = calculateFreeShippingGapKsh(subtotalCents)
  const isFree = hasFreeShipping(subtotalCents)
  if (gapKsh === undefined && !isFree) return null
  return (
    <p className={isFree ? 'banner banner--success' : 'banner'}>
      {isFree ? '🎉 Free shipping applied!' : `Add ${formatKsh(gapKsh ?? 0)} more for free shipping`}
    </p>
  )
}
