import { useAtomValue } from 'jotai'
import { bootAtom } from '#client/app/boot.ts'
import { COUNTIES } from '#shared/checkout/checkout-form.ts'
import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import { CHECKOUT_SHIPPING_FEE_KSH, FREE_SHIPPING_ABOVE_KSH } from '#shared/checkout/pricing.ts'
import { CENTS, formatMoney } from '#shared/format.ts'
import { RETURN_DAYS } from '#shared/retention.ts'
import { shop } from '#shared/shop.ts'

/** Delivery fees by county: `KSH 30 in Nairobi, KSH 250 in Mombasa`. */
function formatFees({ zones }: DeliveryTerms): string {
  return Object.entries(zones)
    .map(([county, { feeKsh }]) => `${formatMoney(feeKsh * CENTS)} in ${county}`)
    .join(', ')
}

export function DeliveryAndReturns() {
  const terms = useAtomValue(bootAtom).delivery
  const counties = new Intl.ListFormat('en', { type: 'conjunction' }).format(COUNTIES)
  return (
    <>
      <section id="delivery" className="house-rules stack" aria-labelledby="delivery-heading" tabIndex={-1}>
        <h2 id="delivery-heading">Delivery</h2>
        <p>
          {`We deliver to ${counties}. Delivery costs ${terms.highestFeeKsh === null ? formatMoney(CHECKOUT_SHIPPING_FEE_KSH * CENTS) : formatFees(terms)}, and is free for orders above ${formatMoney(FREE_SHIPPING_ABOVE_KSH * CENTS)}.`}
        </p>
        {terms.pickup && <p>{`You can also pick up your order from our shop for free: ${terms.pickup}.`}</p>}
        <p>
          We’ll email you when your order is packed and when it leaves our shop. Add a phone number at
          checkout so the rider can call ahead. If you’re out, we’ll arrange another time.
        </p>
        <p>You can cancel an order until it’s packed, and we’ll refund your original payment method.</p>
      </section>
      <section id="returns" className="house-rules stack" aria-labelledby="returns-heading" tabIndex={-1}>
        <h2 id="returns-heading">Returns</h2>
        <p>
          {`Doesn’t fit, or changed your mind? Return it within ${RETURN_DAYS} days, unworn and unwashed, for an exchange or a refund.`}
        </p>
        <p>
          Did something arrive damaged, or wear out too soon? We’ll repair it, replace it or refund you, and
          cover the return cost.
        </p>
        <p>
          {'Reply to any email about the order, or write to '}
          <a href={`mailto:${shop.email}`}>{shop.email}</a>
          {`, and mention the order number. We reply ${shop.replyPromise}. Refunds go to your original payment method.`}
        </p>
      </section>
    </>
  )
}
