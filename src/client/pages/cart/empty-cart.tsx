import { useAtomValue } from 'jotai'
import type { RefObject } from 'react'
import { href } from '#shared/routes.ts'
import { userAtom } from '../../state/session.ts'

/** The route table has no such page; the 404 page it leads to lists the categories (§ 2). */
const CATEGORIES_PATH = '/categories'

/** The cart without lines: a greeting and two ways into the shop (§ 2). */
export function EmptyCart({ heading }: { heading: RefObject<HTMLHeadingElement | null> }) {
  const name = useAtomValue(userAtom)?.name
  return (
    <div className="notice">
      <img src="/images/empty-cart.svg" alt="" width="320" height="240" />
      <h2 ref={heading} tabIndex={-1}>
        Your cart is empty!
      </h2>
      <p className="lead">
        {name
          ? `Hi ${name}! Ready to find something amazing?`
          : 'Discover our eco-friendly collection and add some items to get started.'}
      </p>
      <div className="cart__actions">
        <a className="button" href={href('shop')}>
          Browse Products
        </a>
        <a className="button button--quiet" href={CATEGORIES_PATH}>
          View Categories
        </a>
      </div>
    </div>
  )
}
