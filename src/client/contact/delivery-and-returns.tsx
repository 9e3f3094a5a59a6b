import { useAtomValue } from 'jotai'
import { bootAtom } from '#client/app/boot.ts'
import { COUNTIES } from '#shared/checkout/checkout-form.ts'
import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import { CHECKOUT_SHIPPING_FEE_KSH, FREE_SHIPPING_ABOVE_KSH } from '#shared/checkout/pricing.ts'
import { formatKsh } from '#shared/format.ts'
import { RETURN_DAYS } from '#shared/retention.ts'
import { shop } from '#shared/shop.ts'

/** What delivery costs, county by county: `KSH 30 in Nairobi, KSH 250 in Mombasa`. */
function feesOf({ zones }: DeliveryTerms): string {
  return Object.entries(zones)
    .map(([county, { feeKsh }]) => `${formatKsh(feeKsh)} in ${county}`)
    .join(', ')
}

/** Where the shop delivers, what that costs, and what can be sent back (§ 2). */
export function DeliveryAndReturns() {
  const terms = useAtomValue(bootAtom).delivery
  const counties = new Intl.ListFormat('en', { type: 'conjunction' }).format(COUNTIES)
  return (
    <>
      <section id="delivery" className="house-rules stack" aria-labelledby="delivery-heading" tabIndex={-1}>
        <h2 id="delivery-heading">Delivery</h2>
        <p>
          {`We deliver in ${counties}. It costs ${terms.highestFeeKsh === null ? formatKsh(CHECKOUT_SHIPPING_FEE_KSH) : feesOf(terms)}, and nothing for an order above ${formatKsh(FREE_SHIPPING_ABOVE_KSH)}.`}
        </p>
        {terms.pickup && <p>{`You can also pick your order up, for nothing: ${terms.pickup}.`}</p>}
        <p>
          We send you a mail when your order is packed and when it leaves our shop. Give us a phone number at
          checkout: the rider calls it before coming by. If nobody is there, we try again with you.
        </p>
        <p>
          You can cancel an order yourself while it is not packed, and get your money back the way you paid.
        </p>
      </section>
      <section id="returns" className="house-rules stack" aria-labelledby="returns-heading" tabIndex={-1}>
        <h2 id="returns-heading">Returns</h2>
        <p>
          {`Does something not fit, or not please you? Send it back within ${RETURN_DAYS} days, unworn and unwashed, and we exchange it or give you the money back.`}
        </p>
        <p>
          Did something arrive damaged, or come apart sooner than it should? Then we mend it, replace it or
          give you the money back, and pay for the way.
        </p>
        <p>
          {'Reply to any mail about the order, or write to '}
          <a href={`mailto:${shop.email}`}>{shop.email}</a>
          {`, and name the order's number. We answer ${shop.replyPromise}; money comes back the way you paid.`}
        </p>
      </section>
    </>
  )
}
