import { useAtomValue, useSetAtom } from 'jotai'
import { useEffect, useRef, useState } from 'react'
import { followEarlyLink } from '#client/app/after-hydration.ts'
import { bootAtom } from '#client/app/boot.ts'
import { runAfterPaint } from '#client/app/wait.ts'
import { addCardToCartAtom } from '#client/cart/add-to-cart.ts'
import { Picture } from '#client/ui/picture.tsx'
import { WasPrice } from '#client/ui/was-price.tsx'
import type { ProductCard, UnitsLeft } from '#shared/catalogue/catalogue.ts'
import { SMALL_CARD_PICTURE_SIZE } from '#shared/catalogue/pictures.ts'
import { formatPriceWithVat } from '#shared/checkout/fees.ts'
import { CAROUSEL_TITLE_CHARACTERS, formatKsh, truncate } from '#shared/format.ts'
import { href } from '#shared/routes.ts'
import type { CarouselMotion } from './carousel-motion.ts'

type RelatedProductsProps = { products: readonly ProductCard[]; left: UnitsLeft | undefined }

/** A copy of the cards closes the carousel's loop (§ 2). */
export function RelatedProducts({ products, left }: RelatedProductsProps) {
  const rowRef = useRef<HTMLDivElement>(null)
  const motionRef = useRef<CarouselMotion>(null)
  const [{ canMove, isPaused }, setMotion] = useState({ canMove: false, isPaused: false })
  const addCard = useSetAtom(addCardToCartAtom)
  const add = (product: ProductCard) => runAfterPaint(() => void addCard(product, left))

  useEffect(() => {
    const rowElement = rowRef.current
    if (!rowElement) return
    const { earlyClicks } = window
    earlyClicks.unhydrated = ':not(*)'
    for (const button of earlyClicks.buttons) button.click()
    earlyClicks.buttons.clear()
    followEarlyLink()
    let isUnmounted = false
    const observer = new IntersectionObserver(
      async ([entry]) => {
        if (!entry?.isIntersecting) return
        observer.disconnect()
        const script = await import('./carousel-motion.ts').catch(() => undefined)
        if (!isUnmounted) motionRef.current = script?.startCarousel(rowElement, setMotion) ?? null
      },
      { rootMargin: '200px' },
    )
    observer.observe(rowElement)
    return () => {
      isUnmounted = true
      observer.disconnect()
      motionRef.current?.stop()
    }
  }, [])

  return (
    <section className="related" aria-labelledby="also">
      <div className="related__head spread">
        <h2 id="also">You may also like</h2>
        {canMove && (
          <button
            type="button"
            className="button button--quiet"
            aria-label={isPaused ? 'Play carousel' : 'Pause carousel'}
            onClick={() => motionRef.current?.pause(!isPaused)}
          >
            {isPaused ? 'Play' : 'Pause'}
          </button>
        )}
      </div>
      <div className="related__row" ref={rowRef}>
        <div className="related__track">
          <RelatedCards products={products} onAdd={add} />
          {canMove && <RelatedCards products={products} onAdd={add} isCopy />}
        </div>
      </div>
    </section>
  )
}

type RelatedCardsProps = {
  products: readonly ProductCard[]
  onAdd: (product: ProductCard) => void
  isCopy?: boolean
}

function RelatedCards({ products, onAdd, isCopy }: RelatedCardsProps) {
  const { savesData } = useAtomValue(bootAtom)
  const tabIndex = isCopy ? -1 : undefined
  return (
    <ul className="grid related__cards" aria-hidden={isCopy}>
      {products.map((product) => (
        <li key={product.id}>
          <Picture
            image={product.image}
            size={SMALL_CARD_PICTURE_SIZE}
            savesData={savesData}
            alt={isCopy ? '' : product.title}
            width="320"
            height="400"
            loading="lazy"
          />
          <h3>{truncate(product.title, CAROUSEL_TITLE_CHARACTERS)}</h3>
          <b>{formatKsh(product.price)}</b>
          <WasPrice ksh={product.compareAtPrice} />
          <p>{formatPriceWithVat(product.price)}</p>
          {product.sizeRange && <span>{product.sizeRange}</span>}
          {product.stockLabel && <small>{product.stockLabel}</small>}
          <a href={href('product', { id: product.id })} tabIndex={tabIndex}>
            Buy Now
          </a>
          <button
            type="button"
            tabIndex={tabIndex}
            disabled={product.left === 0}
            onClick={() => onAdd(product)}
          >
            Add to Cart
          </button>
        </li>
      ))}
    </ul>
  )
}
