import { useAtomValue } from 'jotai'
import { useEffect, useRef } from 'react'
import { cartAtom } from '../../state/cart.ts'
import { savedAtom } from '../../state/saved.ts'
import { WithoutScripts } from '../../ui/without-scripts.tsx'
import { CartHeader } from './cart-header.tsx'
import { CartSkeleton } from './cart-skeleton.tsx'
import { EmptyCart } from './empty-cart.tsx'
import { FilledCart } from './filled-cart.tsx'
import { SavedList } from './saved-list.tsx'

/** What is in the cart and what it comes to (§ 2). Until the browser has read its storage: a skeleton. */
function CartPage() {
  const cart = useAtomValue(cartAtom)
  const saved = useAtomValue(savedAtom)
  const heading = useRef<HTMLHeadingElement>(null)
  const lines = (cart?.length ?? 0) + (saved?.length ?? 0)
  const linesBefore = useRef(lines)

  // A line that goes takes the focus of its button along: the next thing to read gets it.
  useEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body
    if (isLost && lines < linesBefore.current) heading.current?.focus({ preventScroll: true })
    linesBefore.current = lines
  }, [lines])

  return (
    <div className="page cart">
      <CartHeader isFilled={cart !== undefined && cart.length > 0} />
      {cart === undefined && (
        <>
          <WithoutScripts
            what="Your cart"
            why="What you choose is kept in your own browser, where only a script can read it."
          />
          <CartSkeleton />
        </>
      )}
      {cart?.length === 0 && <EmptyCart heading={heading} />}
      {cart !== undefined && cart.length > 0 && <FilledCart cart={cart} heading={heading} />}
      {saved !== undefined && saved.length > 0 && <SavedList lines={saved} />}
    </div>
  )
}

export { CartPage as Page }
