import { useAtomValue } from 'jotai'
import { href } from '#shared/routes.ts'
import { cartLineCountAtom } from '../state/cart.ts'

/** The way to the cart, with the number of its lines when there are any (§ 2). */
export function CartLink({ isHere }: { isHere: boolean }) {
  const lines = useAtomValue(cartLineCountAtom)
  return (
    <a className="bar__cart" href={href('cart')} aria-current={isHere ? 'page' : undefined}>
      <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
        <path d="M3 10h18l-2 10.5H5zM7.5 10 12 3l4.5 7" />
        <path className="bar__cart-weave" d="M4.5 14h15M5 17.4h14" />
      </svg>
      Cart
      {lines > 0 && (
        <span className="badge">
          {lines}
          <span className="visually-hidden">{lines === 1 ? ' item' : ' items'}</span>
        </span>
      )}
    </a>
  )
}
