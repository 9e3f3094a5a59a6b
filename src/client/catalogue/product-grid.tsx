import { useAtomValue, useSetAtom } from 'jotai'
import { startTransition, useEffect, useState } from 'react'
import { bootAtom, savesData } from '#client/app/boot.ts'
import { loadCatalogue } from '#client/app/fetch-catalogue.ts'
import { viewAtom } from '#client/app/router/page.ts'
import { APPENDED_ID } from '#client/app/router/scroll-and-focus.ts'
import { afterPaint } from '#client/app/wait.ts'
import { addProductCardAtom, selectedSizesAtom } from '#client/cart/add-to-cart.ts'
import { CachedList } from '#client/ui/cached-list.tsx'
import { Picture } from '#client/ui/picture.tsx'
import { PRODUCTS_PER_PAGE, type ProductCard } from '#shared/catalogue/catalogue.ts'
import { CARD } from '#shared/catalogue/pictures.ts'
import { COUNT_ID, isNarrowed, type ShopView, SORTS, shopHref } from '#shared/catalogue/shop-filter.ts'
import {
  formatKsh,
  SHOP_DESCRIPTION_CHARACTERS,
  SHOP_TITLE_CHARACTERS,
  stockText,
  truncate,
} from '#shared/format.ts'
import { href } from '#shared/routes.ts'
import { Filters, NoProducts, Refinements } from './refinements.ts'

/** How many cards are likely on the first screen, and in a phone's first row. */
const FIRST_SCREEN_CARDS = 4
const FIRST_ROW_CARDS = 2
/** One card for so many pixels of width fills the first screen, also a tall one. */
const PIXELS_PER_CARD = 60
/** When the sizes are loaded, in milliseconds after hydration. */
const SIZES_AFTER_MS = 2000

/**
 * The product cards (§ 2). The first of those appended to others has an id, for the focus. After a link inside the app the
 * first screen's cards are painted before the others are rendered. Not by `useDeferredValue`, which React renders again and
 * again for as long as it keeps the skeleton.
 */
export function ProductGrid({ view: { products: all, left, from, page } }: { view: ShopView }) {
  const isPushed = useAtomValue(viewAtom)?.navigationType === 'push'
  const [isFirstScreen, setFirstScreen] = useState(isPushed)
  useEffect(() => {
    if (isFirstScreen) afterPaint(() => startTransition(() => setFirstScreen(false)))
  }, [isFirstScreen])
  const products = isFirstScreen ? all.slice(0, innerWidth / PIXELS_PER_CARD) : all
  const addCard = useSetAtom(addProductCardAtom)
  const { savesData: isDataSaver } = useAtomValue(bootAtom)
  usePrefetchedSizes()
  const appended = (page - from) * PRODUCTS_PER_PAGE
  const renderCards = () =>
    products.map((product, index) => (
      <Card
        key={product.id}
        elementId={appended && index === appended ? APPENDED_ID : undefined}
        product={product}
        index={index}
        isDataSaver={isDataSaver}
        onAdd={() => afterPaint(() => void addCard(product, left))}
      />
    ))
  return <CachedList className="grid" list={products} renderItems={renderCards} />
}

/** Loads the catalogue once the page is idle, for shoppers whose cards add another size than the first. */
function usePrefetchedSizes() {
  const hasChosen = Object.keys(useAtomValue(selectedSizesAtom) ?? {}).length > 0
  useEffect(() => {
    if (!hasChosen || savesData()) return
    const timer = setTimeout(() => void Promise.resolve(loadCatalogue()).catch(() => {}), SIZES_AFTER_MS)
    return () => clearTimeout(timer)
  }, [hasChosen])
}

type CardProps = {
  elementId: string | undefined
  product: ProductCard
  index: number
  isDataSaver: boolean
  onAdd: () => void
}

/** A card of the grid (§ 2). There are many, so their markup has no classes: it is styled by its elements. */
function Card({ elementId, product, index, isDataSaver, onAdd }: CardProps) {
  const { id, title, description, price, image, left } = product
  return (
    <li id={elementId}>
      <Picture
        image={image}
        size={CARD}
        savesData={isDataSaver}
        alt={title}
        width="320"
        height="400"
        loading={index < FIRST_SCREEN_CARDS ? undefined : 'lazy'}
        fetchPriority={index < FIRST_ROW_CARDS ? 'high' : undefined}
      />
      <h2>{truncate(title, SHOP_TITLE_CHARACTERS)}</h2>
      <p>{truncate(description, SHOP_DESCRIPTION_CHARACTERS)}</p>
      <b>{formatKsh(price)}</b>
      {left !== undefined && <small>{stockText(left)}</small>}
      <a href={href('product', { id })}>Buy Now</a>
      <button type="button" disabled={left === 0} onClick={onAdd}>
        Add to Cart
      </button>
    </li>
  )
}

/** The number of products, their cards, and links to further pages. */
export function Products({ view }: { view: ShopView }) {
  const { count, from, page, pages, failed } = view
  if (failed) return <Failure view={view} />
  return (
    <>
      {view.sizes && <Filters view={view} />}
      <p id={COUNT_ID} className="shop__count" role="status" tabIndex={-1}>
        {countText(view)}
      </p>
      {isNarrowed(view) && <Refinements view={view} />}
      {count === 0 ? <NoProducts view={view} /> : <ProductGrid view={view} />}
      {pages > 1 && (
        <nav className="shop__pages" aria-label="Pages of products">
          {from > 1 && (
            <a className="button button--quiet" href={`${shopHref(view, from - 1)}#${COUNT_ID}`}>
              Previous products
            </a>
          )}
          {page < pages && (
            <a className="button button--quiet" rel="next" href={`${shopHref(view, page + 1)}#${COUNT_ID}`}>
              More products
            </a>
          )}
        </nav>
      )}
    </>
  )
}

/** What is shown, in words: "8 results for “dress”", "Toys: 8 products, lowest price first". */
function countText(view: ShopView): string {
  const { category, query, corrected, isNear, sort, products, from, page, pages } = view
  const count = isNear ? 0 : view.count
  const what = query ? 'result' : 'product'
  return [
    category !== 'All' ? `${category}: ` : !query && 'Everything: ',
    `${count} ${what}${count === 1 ? '' : 's'}`,
    query && ` for “${corrected ?? query}”`,
    sort && `, ${SORTS[sort].toLowerCase()} first`,
    from < page && `, ${products.length} shown`,
    pages > 1 && `, ${from < page ? `pages ${from} to` : 'page'} ${page} of ${pages}`,
  ]
    .filter(Boolean)
    .join('')
}

/** The catalogue could not be loaded: no cards, and a link to try again (§ 8). */
function Failure({ view }: { view: ShopView }) {
  return (
    <div className="notice notice--lost" role="status">
      <h2>We couldn’t load the products</h2>
      <p>Please try again in a minute.</p>
      <a className="button" href={shopHref(view)}>
        Try again
      </a>
    </div>
  )
}
