import { useAtomValue, useSetAtom } from 'jotai'
import {
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { userAtom } from '#client/app/session.ts'
import { NoScriptNotice } from '#client/ui/no-script-notice.tsx'
import type { Cart } from '#shared/cart/cart.ts'
import { href } from '#shared/routes.ts'
import {
  clearCartAtom,
  savedLinesAtom,
  saveForLaterAtom,
  undoableRemovalAtom,
  undoRemovalAtom,
} from './cart-actions.ts'
import { CartLinkOutcome } from './cart-link-outcome.tsx'
import { CartLines } from './line-list.tsx'
import { CheckoutBar, OrderSummary } from './order-summary.tsx'
import { CartChangesNotice } from './price-changes-notice.tsx'
import { SavedList } from './saved-list.tsx'
import { cartAtom } from './stored-cart.ts'
import { createTapGuard } from './tap-guard.ts'

/** This path isn't in the route table, so the 404 page lists the categories (§ 2). */
const CATEGORIES_PATH = '/categories'

function CartPage() {
  const cart = useAtomValue(cartAtom)
  const savedLines = useAtomValue(savedLinesAtom)
  const undoable = useAtomValue(undoableRemovalAtom)
  const headingRef = useRef<HTMLHeadingElement>(null)
  const [tapGuard] = useState(createTapGuard)
  const [cartCount, savedCount] = [cart?.length ?? 0, savedLines?.length ?? 0]
  const previousCountsRef = useRef({ cartCount, savedCount })
  const hasUndoneRef = useRef(false)

  // Removing, moving or restoring a line removes the focused button. If no other line has taken focus, the heading
  // takes it.
  useEffect(() => {
    const previous = previousCountsRef.current
    const hasFewerLines = cartCount < previous.cartCount || savedCount < previous.savedCount
    const isFocusLost = document.activeElement === null || document.activeElement === document.body
    if (isFocusLost && (hasUndoneRef.current || hasFewerLines))
      headingRef.current?.focus({ preventScroll: true })
    previousCountsRef.current = { cartCount, savedCount }
    hasUndoneRef.current = false
  }, [cartCount, savedCount])

  // A layout effect, because a second tap can come after the lines have moved and before other effects have run.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of these changes moves lines
  useLayoutEffect(() => tapGuard.recordMove(), [cartCount, savedCount, undoable, tapGuard])

  function guardTap(click: MouseEvent) {
    if (tapGuard.allows(click.nativeEvent)) return
    click.preventDefault()
    click.stopPropagation()
  }

  const undo = undoable && (
    <UndoRemoval
      name={undoable.name}
      isPrimary={cartCount === 0}
      onUndo={() => {
        hasUndoneRef.current = true
      }}
    />
  )
  return (
    <div className="page cart" onClickCapture={guardTap}>
      <CartHeader cart={cart ?? []} />
      <CartLinkOutcome isLast />
      <CartChangesNotice />
      {cart === undefined && (
        <>
          <NoScriptNotice
            feature="Your cart"
            explanation="Your cart is stored in your browser, so we can’t show it without JavaScript."
          />
          <CartSkeleton />
        </>
      )}
      {cart?.length === 0 && <EmptyCart headingRef={headingRef} undo={undo} isCompact={savedCount > 0} />}
      {cart !== undefined && cart.length > 0 && (
        <div className="with-summary">
          <CartLines cart={cart} headingRef={headingRef} removal={undoable} undo={undo} />
          <OrderSummary cart={cart} />
        </div>
      )}
      {savedLines !== undefined && savedLines.length > 0 && <SavedList lines={savedLines} />}
      {cart !== undefined && cart.length > 0 && (
        <div className="cart__bottom">
          <CheckoutBar cart={cart} />
        </div>
      )}
    </div>
  )
}

function CartHeader({ cart }: { cart: Cart }) {
  const name = useAtomValue(userAtom)?.name
  const saveForLater = useSetAtom(saveForLaterAtom)
  const clearCart = useSetAtom(clearCartAtom)
  const isFilled = cart.length > 0
  return (
    <header className="cart__header spread">
      <div>
        <h1>Shopping Cart</h1>
        {isFilled && name && <p className="lead">{`Welcome back, ${name}!`}</p>}
      </div>
      {isFilled && (
        <div className="cart__actions">
          <button type="button" className="button button--quiet" onClick={() => saveForLater(cart)}>
            Save for Later
          </button>
          <button type="button" className="button button--quiet" onClick={() => clearCart()}>
            Clear Cart
          </button>
        </div>
      )}
    </header>
  )
}

type EmptyCartProps = {
  headingRef: RefObject<HTMLHeadingElement | null>
  undo: ReactNode
  /** Keeps the list under it on the first screen of phones. */
  isCompact: boolean
}

function EmptyCart({ headingRef, undo, isCompact }: EmptyCartProps) {
  const name = useAtomValue(userAtom)?.name
  return (
    <div className={isCompact ? 'panel stack stack--s' : 'notice'}>
      {!isCompact && <img src="/images/empty-cart.svg" alt="" width="320" height="240" />}
      <h2 ref={headingRef} tabIndex={-1}>
        Your cart is empty!
      </h2>
      <p className="lead">
        {name
          ? `Hi ${name}! Ready to find something amazing?`
          : 'Discover our eco-friendly collection and add some items to get started.'}
      </p>
      <div className="order__buttons">
        {undo}
        <a className={undo ? 'button button--quiet' : 'button'} href={href('shop')}>
          Browse Products
        </a>
        <a className="button button--quiet" href={CATEGORIES_PATH}>
          View Categories
        </a>
      </div>
    </div>
  )
}

type UndoRemovalProps = { name: string | undefined; isPrimary: boolean; onUndo: () => void }

function UndoRemoval({ name, isPrimary, onUndo }: UndoRemovalProps) {
  const undoRemoval = useSetAtom(undoRemovalAtom)

  return (
    <button
      type="button"
      className={isPrimary ? 'button cart__undo' : 'button button--quiet cart__undo'}
      onClick={() => {
        onUndo()
        undoRemoval()
      }}
    >
      {name === undefined ? 'Restore cart' : 'Undo removal'}
      {name && <span className="visually-hidden">{`: ${name}`}</span>}
    </button>
  )
}

function CartSkeleton() {
  return (
    <div className="with-summary only-hydrating" role="status" aria-label="Loading your cart">
      <div className="panel stack" aria-hidden="true">
        {[1, 2].map((line) => (
          <div key={line} className="cart-line">
            <span className="thumb thumb--empty" />
            <div className="stack stack--s">
              <span className="line line--short" />
              <span className="line" />
              <span className="line line--short" />
            </div>
          </div>
        ))}
      </div>
      <div className="panel stack" aria-hidden="true">
        <span className="line line--short" />
        <span className="line" />
        <span className="line" />
      </div>
    </div>
  )
}

export { CartPage as Page }
