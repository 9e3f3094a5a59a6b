import { useSetAtom } from 'jotai'
import { type RefObject, useState } from 'react'
import type { Cart, CartLine } from '#shared/rules/cart.ts'
import { removeLineAtom } from '../../state/cart.ts'
import { CartItem } from './cart-item.tsx'
import { OrderSummary } from './order-summary.tsx'
import { RemoveDialog } from './remove-dialog.tsx'

type FilledCartProps = { cart: Cart; heading: RefObject<HTMLHeadingElement | null> }

/** "Cart Items (n)" beside the order summary, and the question before a removal (§ 2). */
export function FilledCart({ cart, heading }: FilledCartProps) {
  const removeLine = useSetAtom(removeLineAtom)
  const [leaving, setLeaving] = useState<CartLine>()

  return (
    <div className="with-summary">
      <section className="panel" aria-labelledby="cart-items">
        <h2 id="cart-items" ref={heading} tabIndex={-1}>{`Cart Items (${cart.length})`}</h2>
        <ul className="cart__lines">
          {cart.map((line) => (
            <CartItem key={line.id} line={line} onRemove={setLeaving} />
          ))}
        </ul>
      </section>
      <OrderSummary cart={cart} />
      {leaving && (
        <RemoveDialog
          title={leaving.title}
          onCancel={() => setLeaving(undefined)}
          onRemove={() => {
            setLeaving(undefined)
            removeLine(leaving.id)
          }}
        />
      )}
    </div>
  )
}
