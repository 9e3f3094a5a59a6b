import { useAtomValue, useSetAtom } from 'jotai'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { runAfterPaint } from '#client/app/wait.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import { Picture } from '#client/ui/picture.tsx'
import { StepperButton } from '#client/ui/stepper-button.tsx'
import { WasPrice } from '#client/ui/was-price.tsx'
import { type Cart, type CartLine, MAX_QTY, PLACEHOLDER_IMAGE } from '#shared/cart/cart.ts'
import { LOW_STOCK_UNITS } from '#shared/catalogue/catalogue-stock.ts'
import { THUMBNAIL_PICTURE_SIZE } from '#shared/catalogue/pictures.ts'
import { calculateLineTotalCents } from '#shared/checkout/pricing.ts'
import {
  CART_DESCRIPTION_CHARACTERS,
  centsToKsh,
  formatKsh,
  formatNameWithSize,
  formatStock,
  truncate,
} from '#shared/format.ts'
import { addToCartAtom } from './add-to-cart.ts'
import {
  dismissToastsAtom,
  loadCartCatalogueAtom,
  type Removal,
  removeLineAtom,
  removeUnitAtom,
  saveForLaterAtom,
} from './cart-actions.ts'
import { LineSize } from './line-size.tsx'
import { checkStockAtom, limitCartToStockAtom, unitsLeftAtom } from './stock.ts'

type CartLinesProps = {
  cart: Cart
  headingRef: RefObject<HTMLHeadingElement | null>
  removal: Removal | undefined
  /** The button that undoes the removal. */
  undo: ReactNode
}

export function CartLines({ cart, headingRef, removal, undo }: CartLinesProps) {
  const removeLine = useSetAtom(removeLineAtom)
  const dismissToasts = useSetAtom(dismissToastsAtom)
  const [removing, setRemoving] = useState<CartLine>()
  const checkStock = useSetAtom(checkStockAtom)
  const ids = cart.map(({ id }) => id).join()

  // biome-ignore lint/correctness/useExhaustiveDependencies: units left don't depend on quantities
  useEffect(() => {
    void checkStock(cart.map(({ id }) => id))
  }, [ids, checkStock])
  const listRef = useRef<HTMLUListElement>(null)
  const resizedRef = useRef<number>(undefined)
  const loadCartCatalogue = useSetAtom(loadCartCatalogueAtom)

  useEffect(() => void loadCartCatalogue(), [loadCartCatalogue])
  const previousLinesRef = useRef(cart)

  // Removing or restoring a line removes the focused button, so the row in its place takes focus.
  useEffect(() => {
    const [shorter, longer] = [previousLinesRef.current, cart].toSorted((a, b) => a.length - b.length)
    previousLinesRef.current = cart
    const changedIndex = longer?.findIndex(({ id }) => !shorter?.some((line) => line.id === id)) ?? -1
    const isFocusLost = document.activeElement === null || document.activeElement === document.body
    const rows = listRef.current?.children
    const row = rows?.[Math.min(changedIndex, rows.length - 1)]
    if (isFocusLost && row instanceof HTMLElement) row.focus({ preventScroll: true })
  }, [cart])

  const rows = cart.map((line) => (
    <CartItem
      key={line.id}
      line={line}
      resizedRef={resizedRef}
      onRemove={() => {
        dismissToasts()
        setRemoving(line)
      }}
    />
  ))
  if (removal) {
    const index = removal.before.findIndex(({ id }) => !cart.some((line) => line.id === id))
    const removedRow = (
      <li key="removed" className="cart__actions cart__removed" tabIndex={-1}>
        {`${removal.name} removed`}
        {undo}
      </li>
    )
    rows.splice(index, 0, removedRow)
  }

  return (
    <>
      <section className="panel" aria-labelledby="cart-items">
        <h2 id="cart-items" ref={headingRef} tabIndex={-1}>{`Cart Items (${cart.length})`}</h2>
        <ul className="cart__lines" ref={listRef}>
          {rows}
        </ul>
      </section>
      {removing && (
        <RemoveDialog
          title={removing.title}
          onCancel={() => setRemoving(undefined)}
          onRemove={() => {
            setRemoving(undefined)
            removeLine(removing.id)
          }}
        />
      )}
    </>
  )
}

type CartItemProps = {
  line: CartLine
  resizedRef: RefObject<number | undefined>
  onRemove: () => void
}

/** The minus button asks for no confirmation; the remove icon does (§ 2). */
function CartItem({ line, resizedRef, onRemove }: CartItemProps) {
  const { id, title, size, description, price, compareAtPrice, image, qty } = line
  const name = formatNameWithSize(title, size)
  const addToCart = useSetAtom(addToCartAtom)
  const removeUnit = useSetAtom(removeUnitAtom)
  const saveForLater = useSetAtom(saveForLaterAtom)
  const unitsLeft = useAtomValue(unitsLeftAtom).get(id) ?? MAX_QTY
  return (
    <li className="cart-line" tabIndex={-1}>
      <div className="cart-line__image">
        <ProductImage src={image} />
        <span className="badge" aria-hidden="true">
          {qty}
        </span>
      </div>
      <div className="cart-line__text">
        <h3>{title}</h3>
        <p>{truncate(description, CART_DESCRIPTION_CHARACTERS, '...')}</p>
        <LineStock line={line} left={unitsLeft} />
        <button type="button" className="text-button" onClick={() => saveForLater([line])}>
          Save this for later
          <span className="visually-hidden">{`: ${name}`}</span>
        </button>
      </div>
      <LineSize line={line} changedRef={resizedRef} />
      <button
        type="button"
        className="icon-button cart-line__remove"
        aria-label={`Remove ${name} from cart`}
        onClick={onRemove}
      >
        <svg viewBox="0 0 24 24" width="1.375rem" height="1.375rem" aria-hidden="true">
          <path d="M4 7h16M9.5 7V4.5h5V7M6.5 7l.8 12.5h9.4L17.5 7M10 11v5M14 11v5" />
        </svg>
      </button>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls, these are two buttons */}
      <div className="stepper" role="group" aria-label={`Quantity of ${name}`}>
        <StepperButton
          name={name}
          // Removing the last unit doesn't wait for a paint, so that the tap guard can block a second tap on the next
          // line.
          onClick={() => (qty > 1 ? runAfterPaint(() => void removeUnit(id)) : void removeUnit(id))}
        />
        <output>
          {qty}
          <span className="visually-hidden">{` of ${name}`}</span>
        </output>
        <StepperButton
          isIncrease
          name={name}
          isDisabled={qty >= Math.min(unitsLeft, MAX_QTY)}
          onClick={() =>
            qty >= unitsLeft && unitsLeft < MAX_QTY ? undefined : runAfterPaint(() => addToCart(line))
          }
        />
      </div>
      <div className="cart-line__price">
        <b>{formatKsh(centsToKsh(calculateLineTotalCents(line)))}</b>
        <WasPrice ksh={compareAtPrice} />
        <span>{`${formatKsh(price)} each`}</span>
      </div>
    </li>
  )
}

/** The live region stays rendered while it is empty, or screen readers wouldn't announce its first text. */
function LineStock({ line: { id, title, size, qty }, left: unitsLeft }: { line: CartLine; left: number }) {
  const reduceToStock = useSetAtom(limitCartToStockAtom)
  const removeLine = useSetAtom(removeLineAtom)
  const textRef = useRef<HTMLDivElement>(null)
  const isSoldOut = unitsLeft === 0
  const isShort = unitsLeft < qty
  const adjustLine = () => {
    if (isSoldOut) return removeLine(id)
    reduceToStock(id)
    // The text takes focus, because the button disappears.
    textRef.current?.focus({ preventScroll: true })
  }
  return (
    <div className="cart-line__stock">
      <div ref={textRef} role="status" tabIndex={-1}>
        {isShort || unitsLeft <= LOW_STOCK_UNITS ? formatStock(unitsLeft) : ''}
      </div>
      {isShort && (
        <button type="button" className="button button--quiet" onClick={adjustLine}>
          {isSoldOut ? 'Remove item' : `Reduce to ${unitsLeft}`}
          <span className="visually-hidden">{`: ${formatNameWithSize(title, size)}`}</span>
        </button>
      )}
    </div>
  )
}

const REMOVE_QUESTION_ID = 'remove-question'

type RemoveDialogProps = { title: string; onCancel: () => void; onRemove: () => void }

function RemoveDialog({ title, onCancel, onRemove }: RemoveDialogProps) {
  const cancelButtonRef = useRef<HTMLButtonElement>(null)
  return (
    <Dialog
      title="Remove Item"
      describedBy={REMOVE_QUESTION_ID}
      initialFocus={cancelButtonRef}
      onClose={onCancel}
    >
      <p id={REMOVE_QUESTION_ID}>{`Are you sure you want to remove "${title}" from your cart?`}</p>
      <div className="dialog__actions">
        <button ref={cancelButtonRef} type="button" className="button button--quiet" onClick={onCancel}>
          Cancel
        </button>
        <button type="button" className="button button--danger" onClick={onRemove}>
          Remove
        </button>
      </div>
    </Dialog>
  )
}

/** Shows the placeholder if the image fails to load (§ 2, § 8). */
export function ProductImage({ src }: { src: string }) {
  const [failed, setFailed] = useState<string>()
  return (
    <Picture
      className="thumb"
      image={failed === src ? PLACEHOLDER_IMAGE : src}
      size={THUMBNAIL_PICTURE_SIZE}
      onError={() => setFailed(src)}
      alt=""
      width="96"
      height="120"
    />
  )
}
