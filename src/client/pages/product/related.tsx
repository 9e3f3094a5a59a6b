import { useSetAtom } from 'jotai'
import { useEffect, useRef, useState } from 'react'
import type { ProductCard } from '#shared/rules/catalogue.ts'
import { addToCartAtom } from '../../state/cart.ts'
import { RelatedCards } from './related-cards.tsx'
import type { RowMotion } from './row-motion.ts'

/**
 * "You may also like" (§ 2): a row that can be swept along, and that moves by itself once its motion, fetched when
 * the shopper comes near, finds that it may. A copy follows the row then, so that it has no end.
 */
export function Related({ products }: { products: readonly ProductCard[] }) {
  const row = useRef<HTMLDivElement>(null)
  const motion = useRef<RowMotion>(null)
  const [{ canMove, isHeld }, setMotion] = useState({ canMove: false, isHeld: false })
  const addToCart = useSetAtom(addToCartAtom)
  const add = (product: ProductCard) => addToCart(product, 'card')

  useEffect(() => {
    const element = row.current
    if (!element) return
    let isGone = false
    const near = new IntersectionObserver(
      async ([entry]) => {
        if (!entry?.isIntersecting) return
        near.disconnect()
        // Without its script the row stays as it is: one to sweep along.
        const script = await import('./row-motion.ts').catch(() => undefined)
        if (!isGone) motion.current = script?.startRowMotion(element, setMotion) ?? null
      },
      { rootMargin: '200px' },
    )
    near.observe(element)
    return () => {
      isGone = true
      near.disconnect()
      motion.current?.stop()
    }
  }, [])

  return (
    <section className="also" aria-labelledby="also">
      <div className="also__head">
        <h2 id="also">You may also like</h2>
        {canMove && (
          <button
            type="button"
            className="button button--quiet"
            aria-label={isHeld ? 'Play the moving products' : 'Pause the moving products'}
            onClick={() => motion.current?.hold(!isHeld)}
          >
            {isHeld ? 'Play' : 'Pause'}
          </button>
        )}
      </div>
      <div className="also__row" ref={row}>
        <div className="also__track">
          <RelatedCards products={products} onAdd={add} />
          {canMove && <RelatedCards products={products} onAdd={add} isCopy />}
        </div>
      </div>
    </section>
  )
}
