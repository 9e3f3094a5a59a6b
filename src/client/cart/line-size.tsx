import { useAtomValue, useSetAtom } from 'jotai'
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { CartLine } from '#shared/cart/cart.ts'
import { type Item, listProductItems } from '#shared/catalogue/items.ts'
import { href } from '#shared/routes.ts'
import { cartCatalogueAtom, changeSizeAtom, confirmSizeAtom } from './cart-actions.ts'
import { unitsLeftAtom } from './stock.ts'

type LineSizeProps = {
  line: CartLine
  /** The id of the line whose size has just changed. Its control takes focus. */
  changedRef: RefObject<number | undefined>
  onConfirm?: () => void
}

export function LineSize({ line: { id, title, size, isSizeAssumed }, changedRef, onConfirm }: LineSizeProps) {
  const catalogue = useAtomValue(cartCatalogueAtom)
  const unitsLeft = useAtomValue(unitsLeftAtom)
  const changeSize = useSetAtom(changeSizeAtom)
  const confirmSize = useSetAtom(confirmSizeAtom)
  const [isOpen, setIsOpen] = useState(false)
  const summaryRef = useRef<HTMLElement>(null)
  const product = catalogue?.findItem(catalogue.catalogue, id)?.product

  // This effect runs after every render, because the changed line may merge into one that doesn't remount.
  useEffect(() => {
    if (changedRef.current !== id) return
    changedRef.current = undefined
    summaryRef.current?.focus({ preventScroll: true })
  })

  if (!size) return null

  function selectSize(item: Item) {
    setIsOpen(false)
    changedRef.current = item.id
    changeSize(id, item)
  }

  /** Moves focus away from the button, which disappears. */
  function keepSize() {
    confirmSize(id)
    summaryRef.current?.focus({ preventScroll: true })
    onConfirm?.()
  }

  return (
    <div className="line-size">
      <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary ref={summaryRef}>
          {`Size ${size}`}
          <span className="line-size__change">
            {isOpen ? 'Close' : 'Change'}
            <span className="visually-hidden">
              {isOpen ? ` the sizes of ${title}` : ` the size of ${title}`}
            </span>
          </span>
          {isSizeAssumed && !onConfirm && <span className="line-size__note">Please confirm this size.</span>}
        </summary>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls, these are buttons */}
        <div className="line-size__options" role="group" aria-label={`Sizes for ${title}`}>
          {!product && 'Loading sizes...'}
          {product &&
            listProductItems(product).map((item) => {
              const isCurrent = item.id === id
              const isSoldOut = unitsLeft.get(item.id) === 0
              return (
                <button
                  key={item.id}
                  type="button"
                  className={isCurrent && isSizeAssumed ? 'chip chip--assumed' : 'chip'}
                  aria-pressed={isCurrent && !isSizeAssumed}
                  aria-disabled={isSoldOut || undefined}
                  onClick={() => isSoldOut || selectSize(item)}
                >
                  {item.size}
                  {isCurrent && isSizeAssumed && (
                    <span className="visually-hidden"> (not confirmed yet)</span>
                  )}
                  {isSoldOut && <small>Sold out</small>}
                </button>
              )
            })}
          {product?.sizing && (
            <a className="text-button" href={`${href('about')}#size-guide-${product.sizing.scale}`}>
              Size guide
            </a>
          )}
        </div>
      </details>
      {isSizeAssumed && (
        <button type="button" className="button button--quiet" onClick={keepSize}>
          Keep
          <span className="visually-hidden">{` size ${size} for ${title}`}</span>
        </button>
      )}
    </div>
  )
}
