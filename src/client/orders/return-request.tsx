import { useRef, useState } from 'react'
import { Picture } from '#client/ui/picture.tsx'
import { StepperButton } from '#client/ui/stepper-button.tsx'
import { PLACEHOLDER_IMAGE } from '#shared/cart/cart.ts'
import { THUMBNAIL } from '#shared/catalogue/pictures.ts'
import type { OrderView } from '#shared/orders/contract.ts'
import { type OrderRef, orderHref } from '#shared/orders/order-link.ts'
import { RETURN_KIND_FIELD, RETURNS_ID } from '#shared/orders/return-form.ts'
import {
  RETURN_KIND_LABELS,
  RETURN_KINDS,
  RETURN_NOTE_MAX_CHARACTERS,
  RETURN_REASON_NAMES,
  RETURN_REASONS,
  RETURN_STATE_LABELS,
} from '#shared/orders/returns.ts'
import type { FormResult } from '#shared/page-data.ts'

type OrderReturnsProps = { view: OrderView; orderRef: OrderRef; posted: FormResult | undefined }

export function OrderReturns({ view: { order, returns, returnable }, orderRef, posted }: OrderReturnsProps) {
  const failed = posted?.outcome?.kind === 'failed' ? posted.outcome : undefined
  if (returns.length === 0 && !returnable && !failed) return null
  return (
    <section className="order__returns stack" aria-labelledby={RETURNS_ID}>
      <h2 id={RETURNS_ID}>Returns and exchanges</h2>
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
          order={order}
          orderRef={orderRef}
          values={posted?.values ?? {}}
          isOpen={failed !== undefined}
        />
      )}
    </section>
  )
}

type Returnable = NonNullable<OrderView['returnable']>

type RequestFormProps = {
  returnable: Returnable
  order: OrderView['order']
  orderRef: OrderRef
  values: FormResult['values']
  isOpen: boolean
}

function RequestForm({ returnable: { until, lines }, order, orderRef, values, isOpen }: RequestFormProps) {
  return (
    <details className="disclosure" open={isOpen}>
      <summary>Request a return or exchange</summary>
      <form method="post" noValidate action={`${orderHref(orderRef)}#${RETURNS_ID}`} className="panel stack">
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
        <ul className="order__lines">
          {lines.map((line, index) => (
            <ReturnLine
              key={`${line.productId} ${line.unitPriceCents}`}
              line={line}
              image={order.lines.find(({ productId }) => productId === line.productId)?.image}
              index={index}
              postedQty={values[`qty-${index}`]}
            />
          ))}
        </ul>
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

type ReturnLineProps = {
  line: Returnable['lines'][number]
  image: string | undefined
  index: number
  postedQty: string | undefined
}

function ReturnLine({ line, image = PLACEHOLDER_IMAGE, index, postedQty = '0' }: ReturnLineProps) {
  const { productId, unitPriceCents, name, left } = line
  const inputRef = useRef<HTMLInputElement>(null)
  const [qty, setQty] = useState(Number(postedQty))
  const field = `qty-${index}`

  function step(units: number) {
    const input = inputRef.current
    if (!input) return
    const next = Math.min(Math.max((Number(input.value) || 0) + units, 0), left)
    input.value = String(next)
    setQty(next)
  }

  return (
    <li className="order__line">
      <Picture className="thumb" image={image} size={THUMBNAIL} width="80" height="100" loading="lazy" />
      <label className="order__title" htmlFor={field}>
        <span className="visually-hidden">Quantity of </span>
        {name}
      </label>
      <input type="hidden" name={`line-${index}`} value={`${productId}-${unitPriceCents}`} />
      <p className="order__unit-price">{`Up to ${left}`}</p>
      <output className="visually-hidden" htmlFor={field}>{`${qty || 0} of ${name}`}</output>
      <div className="stepper">
        <StepperButton name={name} isDisabled={qty <= 0} onClick={() => step(-1)} />
        <input
          id={field}
          className="stepper__input"
          ref={inputRef}
          name={field}
          inputMode="numeric"
          autoComplete="off"
          defaultValue={postedQty}
          onChange={({ target }) => setQty(Number(target.value))}
        />
        <StepperButton isIncrease name={name} isDisabled={qty >= left} onClick={() => step(1)} />
      </div>
    </li>
  )
}
