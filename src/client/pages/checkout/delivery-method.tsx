import { DELIVERY_METHODS, type DeliveryMethod } from '#shared/rules/delivery.ts'
import type { FieldBinding } from '../../ui/field.tsx'

type DeliveryMethodProps = {
  field: FieldBinding
  method: DeliveryMethod
  /** Where and when orders can be picked up. */
  pickup: string
}

const LABELS: Record<DeliveryMethod, string> = { delivery: 'Deliver it to me', pickup: 'I pick it up' }

/** How the shopper gets the order, where the shop offers pickup. */
export function DeliveryMethodFields({ field, method, pickup }: DeliveryMethodProps) {
  const { name, onChange, isReadOnly } = field
  return (
    <fieldset className="fieldset pay-with">
      <legend>Delivery</legend>
      {DELIVERY_METHODS.map((option) => (
        <label key={option} className="pay-with__way">
          <input
            type="radio"
            name={name}
            value={option}
            checked={option === method}
            aria-disabled={isReadOnly}
            onChange={(event) => isReadOnly || onChange?.(event)}
          />
          {LABELS[option]}
        </label>
      ))}
      {method === 'pickup' && <p className="field--wide payment__note">{`In our shop: ${pickup}`}</p>}
    </fieldset>
  )
}
