import { useAtomValue } from 'jotai'
import { bootAtom } from '#client/app/boot.ts'
import { RichText } from '#client/content/rich-text.tsx'
import { COUNTIES } from '#shared/checkout/checkout-form.ts'
import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import { CHECKOUT_SHIPPING_FEE_KSH, FREE_SHIPPING_ABOVE_KSH } from '#shared/checkout/fees.ts'
import type { ContactTexts } from '#shared/content/content.ts'
import { formatMoney, kshToCents } from '#shared/format.ts'

const listFormat = new Intl.ListFormat('en-GB', { type: 'conjunction' })

function formatFees({ zones }: DeliveryTerms): string {
  return listFormat.format(
    Object.entries(zones).map(([county, { feeKsh }]) => `${formatMoney(kshToCents(feeKsh))} in ${county}`),
  )
}

export function DeliveryAndReturns({ delivery, returns }: Pick<ContactTexts, 'delivery' | 'returns'>) {
  const terms = useAtomValue(bootAtom).delivery
  return (
    <>
      <section id="delivery" className="house-rules stack" aria-labelledby="delivery-heading" tabIndex={-1}>
        <h2 id="delivery-heading">Delivery</h2>
        <p>
          {`We deliver to ${listFormat.format(COUNTIES)}. Delivery costs ${terms.highestFeeKsh === null ? formatMoney(kshToCents(CHECKOUT_SHIPPING_FEE_KSH)) : formatFees(terms)}. It’s free for orders above ${formatMoney(kshToCents(FREE_SHIPPING_ABOVE_KSH))}.`}
        </p>
        {terms.pickup && <p>{`You can also pick up your order from our shop for free: ${terms.pickup}.`}</p>}
        <RichText text={delivery} />
      </section>
      <section id="returns" className="house-rules stack" aria-labelledby="returns-heading" tabIndex={-1}>
        <h2 id="returns-heading">Returns</h2>
        <RichText text={returns} />
      </section>
    </>
  )
}
