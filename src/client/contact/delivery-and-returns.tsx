import { useAtomValue } from 'jotai'
import { bootAtom } from '#client/app/boot.ts'
import { RichText } from '#client/content/rich-text.tsx'
import { COUNTIES } from '#shared/checkout/checkout-form.ts'
import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import { FREE_SHIPPING_ABOVE_KSH, STANDARD_SHIPPING_FEE_KSH } from '#shared/checkout/fees.ts'
import type { ContactTexts } from '#shared/content/content.ts'
import { formatList, formatUnbrokenKsh } from '#shared/format.ts'

function describeFees({ zones, highestFeeKsh }: DeliveryTerms): string {
  if (highestFeeKsh === 0) return 'Delivery is free.'
  const fees = Object.entries(zones).map(
    ([county, { feeKsh }]) => `${formatUnbrokenKsh(feeKsh)} in ${county}`,
  )
  const fee = highestFeeKsh === null ? formatUnbrokenKsh(STANDARD_SHIPPING_FEE_KSH) : formatList(fees)
  return `Delivery costs ${fee}. It’s free for orders above ${formatUnbrokenKsh(FREE_SHIPPING_ABOVE_KSH)} before VAT.`
}

type DeliveryAndReturnsProps = Pick<ContactTexts, 'delivery' | 'returns'> & { heading?: 'h2' | 'h3' }

export function DeliveryAndReturns({ delivery, returns, heading: Heading = 'h2' }: DeliveryAndReturnsProps) {
  const terms = useAtomValue(bootAtom).delivery
  return (
    <>
      <section id="delivery" className="house-rules stack" aria-labelledby="delivery-heading" tabIndex={-1}>
        <Heading id="delivery-heading">Delivery</Heading>
        <p>{`We deliver to ${formatList(COUNTIES)}. ${describeFees(terms)}`}</p>
        {terms.time && <p>{`Delivery takes ${terms.time}.`}</p>}
        {terms.pickup && <p>{`You can also pick up your order from our shop for free: ${terms.pickup}.`}</p>}
        <RichText text={delivery} />
      </section>
      <section id="returns" className="house-rules stack" aria-labelledby="returns-heading" tabIndex={-1}>
        <Heading id="returns-heading">Returns</Heading>
        {terms.pickup && <p>{`Send or bring returns to our shop: ${terms.pickup}.`}</p>}
        <RichText text={returns} />
      </section>
    </>
  )
}
