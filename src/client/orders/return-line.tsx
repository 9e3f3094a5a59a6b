import { useRef, useState } from 'react'
import { useHydrated } from '#client/app/use-user.ts'
import { Picture } from '#client/ui/picture.tsx'
import { StepperButton } from '#client/ui/stepper-button.tsx'
import { PLACEHOLDER_IMAGE } from '#shared/cart/cart.ts'
import { THUMBNAIL_PICTURE_SIZE } from '#shared/catalogue/pictures.ts'
import { centsToKsh, formatMoney } from '#shared/format.ts'
import type { OrderView } from '#shared/orders/contract.ts'
import { href } from '#shared/routes.ts'
import { OtherItem } from './other-item.tsx'
import { type EnteredReturn, FieldError, getErrorProps, getFieldId } from './return-field.tsx'

type Line = NonNullable<OrderView['returnable']>['lines'][number]

type ReturnLineProps = {
  line: Line
  image: string | undefined
  index: number
  isOnly: boolean
  wantsOther?: boolean
  /** Hides the difference from another item's price, which a promo code may change. */
  isDiscounted?: boolean
  entered: EnteredReturn
}

/** The quantity can be typed, because the buttons need JavaScript. */
export function ReturnLine({
  line,
  image = PLACEHOLDER_IMAGE,
  index,
  isOnly,
  wantsOther = false,
  isDiscounted = false,
  entered,
}: ReturnLineProps) {
  const { productId, unitPriceCents, name, left, sizes } = line
  const inputRef = useRef<HTMLInputElement>(null)
  const field = `qty-${index}`
  const id = getFieldId(field, entered)
  const enteredQty = entered.values[field] ?? (isOnly ? '1' : '0')
  const [qty, setQty] = useState(Number(enteredQty))
  const isHydrated = useHydrated()

  function step(units: number) {
    const input = inputRef.current
    if (!input) return
    const next = Math.min(Math.max((Number(input.value) || 0) + units, 0), left)
    input.value = String(next)
    setQty(next)
    input.dispatchEvent(new Event('input', { bubbles: true }))
  }

  return (
    <li className="order__line">
      <Picture
        className="thumb"
        image={image}
        size={THUMBNAIL_PICTURE_SIZE}
        width="80"
        height="100"
        loading="lazy"
      />
      {left === 1 ? (
        <>
          <p className="order__title item-title">{name}</p>
          {isOnly ? (
            <input type="hidden" name={field} value="1" />
          ) : (
            <div className="sizes__options">
              <label className="chip">
                <input
                  type="checkbox"
                  id={id}
                  name={field}
                  value="1"
                  defaultChecked={enteredQty === '1'}
                  onChange={({ target }) => setQty(target.checked ? 1 : 0)}
                  {...getErrorProps(field, entered)}
                />
                Choose
                <span className="visually-hidden">{` ${name}`}</span>
              </label>
            </div>
          )}
        </>
      ) : (
        <>
          <label className="order__title item-title" htmlFor={id}>
            <span className="visually-hidden">Quantity of </span>
            {name}
          </label>
          <p className="order__unit-price note">{`Up to ${left}`}</p>
          <output className="visually-hidden" htmlFor={id}>{`${qty || 0} of ${name}`}</output>
          <div className="stepper">
            <StepperButton name={name} isDisabled={qty <= 0} onClick={() => step(-1)} />
            <input
              id={id}
              className="stepper__input"
              ref={inputRef}
              name={field}
              inputMode="numeric"
              autoComplete="off"
              defaultValue={enteredQty}
              onChange={({ target }) => setQty(Number(target.value))}
              {...getErrorProps(field, entered)}
            />
            <StepperButton isIncrease name={name} isDisabled={qty >= left} onClick={() => step(1)} />
          </div>
        </>
      )}
      <input type="hidden" name={`line-${index}`} value={`${productId}-${unitPriceCents}`} />
      <FieldError field={field} entered={entered} />
      {sizes.length > 0 && (
        <OtherSizes
          line={line}
          field={`for-${index}`}
          entered={entered}
          isHidden={isHydrated && !(qty > 0)}
        />
      )}
      {wantsOther && (
        <OtherItem
          name={name}
          priceKsh={isDiscounted ? undefined : centsToKsh(unitPriceCents)}
          field={`other-${index}`}
          entered={entered}
        />
      )}
    </li>
  )
}

type OtherSizesProps = {
  line: Line
  field: string
  entered: EnteredReturn
  isHidden: boolean
}

/** CSS hides the sizes unless an exchange is selected. */
function OtherSizes({
  line: { name, left, scale, sizes, unitPriceCents },
  field,
  entered,
  isHidden,
}: OtherSizesProps) {
  const chosen = entered.values[field]
  return (
    <fieldset
      id={getFieldId(field, entered)}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: allowed by ARIA; a plain group can't be invalid
      role="radiogroup"
      className="sizes field--wide order__exchange"
      hidden={isHidden}
      {...getErrorProps(field, entered)}
    >
      <legend>
        {'Exchange '}
        <span className="visually-hidden">{name}</span>
        {' for'}
      </legend>
      <a
        className="sizes__guide"
        href={`${href('about')}#${scale ? `size-guide-${scale}` : 'sizes'}`}
        target="_blank"
        rel="noreferrer"
      >
        Size guide
      </a>
      <div className="sizes__options">
        {sizes.map(({ id, label, priceCents, isSoldOut }) => (
          <label key={id} className="chip">
            <input
              type="radio"
              name={field}
              value={id}
              disabled={isSoldOut}
              defaultChecked={chosen === String(id) && !isSoldOut}
            />
            {isSoldOut ? <s>{label}</s> : label}
            {isSoldOut ? (
              <small>Sold out</small>
            ) : (
              priceCents !== unitPriceCents && <small>{formatMoney(priceCents)}</small>
            )}
          </label>
        ))}
        <label className="chip">
          <input type="radio" name={field} value="other" defaultChecked={chosen === 'other'} />
          Another item
        </label>
      </div>
      <FieldError field={field} entered={entered} />
      {left > 1 && <p className="note">For different sizes, please send a separate request for each size.</p>}
    </fieldset>
  )
}
