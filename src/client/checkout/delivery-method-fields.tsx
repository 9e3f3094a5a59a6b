import type { FieldBinding } from '#client/ui/field.tsx'
import { DELIVERY_METHODS, type DeliveryTerms, quoteDelivery } from '#shared/checkout/delivery.ts'
import { formatMoney, kshToCents } from '#shared/format.ts'

type DeliveryMethodFieldsProps = {
  field: FieldBinding
  terms: DeliveryTerms
  /** Empty until the shopper has chosen a county. */
  county: string
  hasFreeShipping: boolean
}

export function DeliveryMethodFields({ field, terms, county, hasFreeShipping }: DeliveryMethodFieldsProps) {
  const { name, value, onChange, isReadOnly } = field
  const descriptions = {
    delivery: ['Deliver to me', hasFreeShipping ? 'free' : describeFee(terms, county), terms.time],
    pickup: ['I’ll pick it up', 'free', terms.pickup],
  }
  return (
    <fieldset className="fieldset">
      <legend>Delivery</legend>
      {DELIVERY_METHODS.map((method) => {
        const [label, fee, details] = descriptions[method]
        return (
          <label key={method} className="pay-with__method">
            <input
              type="radio"
              name={name}
              value={method}
              checked={method === value}
              aria-disabled={isReadOnly}
              onChange={(event) => isReadOnly || onChange?.(event)}
            />
            <span>
              {`${label}: ${fee}`}
              {details && (
                <>
                  <br />
                  <span className="note">{details}</span>
                </>
              )}
            </span>
          </label>
        )
      })}
    </fieldset>
  )
}

function describeFee(terms: DeliveryTerms, county: string): string {
  const { feeKsh } = quoteDelivery(terms, { method: 'delivery', county })
  const fees = county ? [] : Object.values(terms.zones).map((zone) => zone.feeKsh)
  const lowestKsh = Math.min(feeKsh, ...fees)
  if (lowestKsh === feeKsh) return feeKsh === 0 ? 'free' : formatFee(feeKsh)
  return lowestKsh === 0 ? `up to ${formatFee(feeKsh)}` : `from ${formatFee(lowestKsh)}`
}

const formatFee = (feeKsh: number) => formatMoney(kshToCents(feeKsh))
