import type { OrderView } from '#shared/orders/contract.ts'
import { ORDER_KEY_PARAM } from '#shared/orders/order-link.ts'
import { RETURN_KIND_FIELD } from '#shared/orders/return-form.ts'
import {
  RETURN_KIND_LABELS,
  RETURN_KINDS,
  RETURN_NOTE_MAX_CHARACTERS,
  RETURN_REASON_NAMES,
  RETURN_REASONS,
  RETURN_STATE_LABELS,
} from '#shared/orders/returns.ts'
import type { FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import type { OrderLink } from './order-view.ts'

type OrderReturnsProps = { view: OrderView; orderLink: OrderLink; posted: FormResult | undefined }

/** Shows earlier returns and a form to request another one. The form works without JavaScript. */
export function OrderReturns({ view: { returns, returnable }, orderLink, posted }: OrderReturnsProps) {
  const failed = posted?.outcome?.kind === 'failed' ? posted.outcome : undefined
  if (returns.length === 0 && !returnable && !failed) return null
  return (
    <section className="order__returns stack" aria-labelledby="returns">
      <h2 id="returns">Returns and exchanges</h2>
      {returns.map(({ kind, state, items }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: returns are only added
        <p key={returns.length - index}>
          <strong>{`${RETURN_KIND_LABELS[kind]}: ${RETURN_STATE_LABELS[state].toLowerCase()}.`}</strong>{' '}
          {items.join('; ')}
        </p>
      ))}
      {failed && (
        <p className="banner banner--error" role="alert">
          {failed.message}
        </p>
      )}
      {returnable && (
        <RequestForm
          returnable={returnable}
          orderLink={orderLink}
          values={posted?.values ?? {}}
          isOpen={failed !== undefined}
        />
      )}
    </section>
  )
}

type RequestFormProps = {
  returnable: NonNullable<OrderView['returnable']>
  orderLink: OrderLink
  values: FormResult['values']
  isOpen: boolean
}

function RequestForm({
  returnable: { until, lines },
  orderLink: { number, key },
  values,
  isOpen,
}: RequestFormProps) {
  return (
    <details className="disclosure" open={isOpen}>
      <summary>Request a return or exchange</summary>
      <form
        method="post"
        action={`${href('order', { number }, key ? { [ORDER_KEY_PARAM]: key } : {})}#returns`}
        className="panel stack"
      >
        <p>{`You can do this until ${until}. We’ll check your request and email you.`}</p>
        <div className="field">
          <label htmlFor={RETURN_KIND_FIELD}>What would you like?</label>
          <select id={RETURN_KIND_FIELD} name={RETURN_KIND_FIELD} defaultValue={values[RETURN_KIND_FIELD]}>
            <option value="">Choose a return or an exchange</option>
            {RETURN_KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {RETURN_KIND_LABELS[kind]}
              </option>
            ))}
          </select>
        </div>
        {lines.map(({ productId, unitPriceCents, name, left }, index) => (
          <div key={`${productId} ${unitPriceCents}`} className="field">
            <label htmlFor={`qty-${index}`}>{`Quantity of ${name}`}</label>
            <input type="hidden" name={`line-${index}`} value={`${productId}-${unitPriceCents}`} />
            <select id={`qty-${index}`} name={`qty-${index}`} defaultValue={values[`qty-${index}`]}>
              {Array.from({ length: left + 1 }, (_, qty) => qty).map((qty) => (
                <option key={qty}>{qty}</option>
              ))}
            </select>
          </div>
        ))}
        <div className="field">
          <label htmlFor="reason">Reason</label>
          <select id="reason" name="reason" defaultValue={values.reason}>
            <option value="">Choose a reason</option>
            {RETURN_REASON_NAMES.map((reason) => (
              <option key={reason} value={reason}>
                {RETURN_REASONS[reason]}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="returnNote">Message (for an exchange: the size or item you’d like)</label>
          <textarea
            id="returnNote"
            name="returnNote"
            rows={3}
            maxLength={RETURN_NOTE_MAX_CHARACTERS}
            defaultValue={values.returnNote}
          />
        </div>
        <button type="submit" className="button">
          Send request
        </button>
      </form>
    </details>
  )
}
