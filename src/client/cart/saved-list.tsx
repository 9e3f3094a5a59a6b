import { useSetAtom } from 'jotai'
import type { Cart } from '#shared/cart/cart.ts'
import { formatKsh, formatNameWithSize } from '#shared/format.ts'
import { moveToCartAtom, removeSavedLineAtom } from './cart-actions.ts'
import { ProductImage } from './line-list.tsx'

export function SavedList({ lines }: { lines: Cart }) {
  const moveToCart = useSetAtom(moveToCartAtom)
  const remove = useSetAtom(removeSavedLineAtom)
  return (
    <section className="panel saved" aria-labelledby="saved-items">
      <h2 id="saved-items">{`Saved for Later (${lines.length})`}</h2>
      <ul className="cart__lines">
        {lines.map((line) => (
          <li key={line.id} className="cart-line cart-line--saved">
            <ProductImage src={line.image} />
            <div className="cart-line__text">
              <h3>{line.title}</h3>
              {line.size && <p>{`Size ${line.size}`}</p>}
              <p>{`${formatKsh(line.price)} each · Qty ${line.qty}`}</p>
            </div>
            <div className="cart__actions">
              <button type="button" className="button button--quiet" onClick={() => moveToCart(line)}>
                Move to cart
                <span className="visually-hidden">{`: ${formatNameWithSize(line.title, line.size)}`}</span>
              </button>
              <button type="button" className="text-button" onClick={() => remove(line)}>
                Remove
                <span className="visually-hidden">{` ${formatNameWithSize(line.title, line.size)} from your saved items`}</span>
              </button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
