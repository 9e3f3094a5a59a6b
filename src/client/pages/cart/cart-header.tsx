import { useAtomValue, useSetAtom } from 'jotai'
import { clearCartAtom } from '../../state/cart.ts'
import { saveForLaterAtom } from '../../state/saved.ts'
import { userAtom } from '../../state/session.ts'

/** The page's title; with lines in the cart also a greeting and what can be done with all of them (§ 2). */
export function CartHeader({ isFilled }: { isFilled: boolean }) {
  const name = useAtomValue(userAtom)?.name
  const saveForLater = useSetAtom(saveForLaterAtom)
  const clearCart = useSetAtom(clearCartAtom)
  return (
    <header className="cart__header">
      <div>
        <h1>Shopping Cart</h1>
        {isFilled && name && <p className="lead">{`Welcome back, ${name}!`}</p>}
      </div>
      {isFilled && (
        <div className="cart__actions">
          <button type="button" className="button button--quiet" onClick={() => saveForLater()}>
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
