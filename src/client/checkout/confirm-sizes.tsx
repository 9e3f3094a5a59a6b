import { type RefObject, useRef } from 'react'
import { LineSize } from '#client/cart/line-size.tsx'
import type { Cart } from '#shared/cart/cart.ts'

export const listUnconfirmedLines = (cart: Cart) => cart.filter(({ isSizeAssumed }) => isSizeAssumed)

type ConfirmSizesProps = {
  lines: Cart
  hasError: boolean
  /** Takes focus when a line is confirmed, because the line's button disappears. */
  groupRef: RefObject<HTMLDivElement | null>
}

export function ConfirmSizes({ lines, hasError, groupRef }: ConfirmSizesProps) {
  const changedRef = useRef<number>(undefined)

  const focusGroup = () => groupRef.current?.focus({ preventScroll: true })

  return (
    <div
      ref={groupRef}
      id="sizes"
      tabIndex={-1}
      data-invalid={hasError && lines.length > 0 ? 'Sizes' : undefined}
    >
      {lines.length > 0 && (
        <fieldset className="fieldset confirm-sizes">
          <legend className="field--wide">
            {lines.length === 1 ? 'Please confirm this size:' : 'Please confirm these sizes:'}
          </legend>
          {lines.map((line) => (
            <div key={line.id} className="field--wide stack stack--s">
              <b>{line.title}</b>
              <LineSize line={line} changedRef={changedRef} onConfirm={focusGroup} />
            </div>
          ))}
          <p className="field--wide field__error" role="alert">
            {hasError && `Confirm or change ${lines.length === 1 ? 'the' : 'each'} size before you order.`}
          </p>
        </fieldset>
      )}
    </div>
  )
}
