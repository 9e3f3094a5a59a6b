import { useAtomValue, useSetAtom } from 'jotai'
import { startTransition, useEffect, useState } from 'react'
import { bootAtom, savesData } from '#client/app/boot.ts'
import { loadCatalogue } from '#client/app/fetch-catalogue.ts'
import { viewAtom } from '#client/app/router/page.ts'
import { APPENDED_ID } from '#client/app/router/scroll-and-focus.ts'
import { runAfterPaint } from '#client/app/wait.ts'
import { addCardToCartAtom, selectedSizesAtom } from '#client/cart/add-to-cart.ts'
import { CachedList } from '#client/ui/cached-list.tsx'
import { Picture } from '#client/ui/picture.tsx'
import { WasPrice } from '#client/ui/was-price.tsx'
import { countFilters } from '#shared/catalogue/applied-filters.ts'
import { PRODUCTS_PER_PAGE, type ProductCard } from '#shared/catalogue/catalogue.ts'
import { CARD_PICTURE_SIZE } from '#shared/catalogue/pictures.ts'
import { PRODUCT_COUNT_ID, type ShopView, SORT_LABELS, shopHref } from '#shared/catalogue/shop-filter.ts'
import { formatPriceWithVat } from '#shared/checkout/fees.ts'
import { formatKsh, SHOP_DESCRIPTION_CHARACTERS, SHOP_TITLE_CHARACTERS, truncate } from '#shared/format.ts'
import { href } from '#shared/routes.ts'
import { Filters, MoreProducts, NoProducts, Refinements } from './refinements.ts'

const FIRST_SCREEN_CARDS = 4
const FIRST_ROW_CARDS = 2
/** The first screen shows at most about one card per this many pixels of its width. */
const PIXELS_PER_CARD = 60
const CATALOGUE_PREFETCH_DELAY_MS = 2000

type ProductGridProps = { view: ShopView; isBelowOthers?: boolean }

/**
 * After a push navigation, cards beyond the first screen follow in a second render. `useDeferredValue` would render
 * them repeatedly while the skeleton is visible.
 */
export function ProductGrid({ view: { products: all, left, from, page }, isBelowOthers }: ProductGridProps) {
  const isPushed = useAtomValue(viewAtom)?.navigationType === 'push'
  const [showsFirstScreenOnly, setShowsFirstScreenOnly] = useState(isPushed)
  useEffect(() => {
    if (showsFirstScreenOnly) runAfterPaint(() => startTransition(() => setShowsFirstScreenOnly(false)))
  }, [showsFirstScreenOnly])
  const products = showsFirstScreenOnly ? all.slice(0, innerWidth / PIXELS_PER_CARD) : all
  const addCard = useSetAtom(addCardToCartAtom)
  const { savesData } = useAtomValue(bootAtom)
  usePrefetchedCatalogue()
  const appendedAt = (page - from) * PRODUCTS_PER_PAGE
  const renderCards = () =>
    products.map((product, index) => (
      <GridCard
        key={product.id}
        elementId={appendedAt && index === appendedAt ? APPENDED_ID : undefined}
        product={product}
        index={isBelowOthers ? FIRST_SCREEN_CARDS : index}
        savesData={savesData}
      />
    ))
  return (
    <CachedList
      className="grid"
      list={products}
      renderItems={renderCards}
      onAction={(product) => runAfterPaint(() => void addCard(product, left))}
    />
  )
}

/** A card needs the catalogue to add the size remembered for its scale. */
function usePrefetchedCatalogue() {
  const hasSelectedSize = Object.keys(useAtomValue(selectedSizesAtom) ?? {}).length > 0
  useEffect(() => {
    if (!hasSelectedSize || savesData()) return
    const timer = setTimeout(
      () => void Promise.resolve(loadCatalogue()).catch(() => {}),
      CATALOGUE_PREFETCH_DELAY_MS,
    )
    return () => clearTimeout(timer)
  }, [hasSelectedSize])
}

type GridCardProps = {
  elementId: string | undefined
  product: ProductCard
  index: number
  savesData: boolean
}

/** Styled without classes to make the page smaller. § 2 specifies the content. */
function GridCard({ elementId, product, index, savesData }: GridCardProps) {
  const { id, title, description, price, compareAtPrice, image, sizeRange, left, stockLabel } = product
  return (
    <li id={elementId}>
      <Picture
        image={image}
        size={CARD_PICTURE_SIZE}
        savesData={savesData}
        alt={title}
        width="320"
        height="400"
        loading={index < FIRST_SCREEN_CARDS ? undefined : 'lazy'}
        fetchPriority={index < FIRST_ROW_CARDS ? 'high' : undefined}
      />
      <h2>{truncate(title, SHOP_TITLE_CHARACTERS)}</h2>
      <b>{formatKsh(price)}</b>
      <WasPrice ksh={compareAtPrice} />
      <p>{formatPriceWithVat(price)}</p>
      {sizeRange && <span>{sizeRange}</span>}
      <p>{truncate(description, SHOP_DESCRIPTION_CHARACTERS)}</p>
      {stockLabel && <small>{stockLabel}</small>}
      <a href={href('product', { id })}>Buy Now</a>
      <button type="button" disabled={left === 0}>
        Add to Cart
      </button>
    </li>
  )
}

export function Products({ view }: { view: ShopView }) {
  if (view.hasFailed) return <LoadError view={view} />
  return (
    <>
      {view.sizes && <Filters view={view} />}
      <p id={PRODUCT_COUNT_ID} className="shop__count note" role="status" tabIndex={-1}>
        {formatCount(view)}
      </p>
      {(countFilters({ ...view, audience: undefined }) > 0 || view.query) && <Refinements view={view} />}
      {view.count === 0 ? <NoProducts view={view} /> : <ProductGrid view={view} />}
      {(view.mentions || view.justAbove || view.related || view.pages > 1) && <MoreProducts view={view} />}
    </>
  )
}

/** Returns a text such as `8 results for “dress” for kids` or `Toys: 8 products, lowest price first`. */
function formatCount(view: ShopView): string {
  const {
    category,
    audience,
    query,
    corrected,
    isNearMatch,
    isOutsideLimits,
    sort,
    products,
    count,
    from,
    page,
    pages,
  } = view
  const noun = query ? 'result' : 'product'
  return [
    category !== 'All' && `${category}: `,
    isNearMatch
      ? `${category === 'All' ? 'No' : 'no'} exact results`
      : corrected
        ? `${category === 'All' ? 'Showing' : 'showing'} results`
        : `${count} ${noun}${count === 1 ? '' : 's'}`,
    query && ` for “${corrected ?? query}”`,
    corrected && `, not “${query}”`,
    isOutsideLimits && ' at this price',
    audience && ` for ${audience.toLowerCase()}`,
    sort && `, ${SORT_LABELS[sort].toLowerCase()} first`,
    from < page && `, ${products.length} shown`,
    pages > 1 && `, ${from < page ? `pages ${from} to` : 'page'} ${page} of ${pages}`,
  ]
    .filter(Boolean)
    .join('')
}

function LoadError({ view }: { view: ShopView }) {
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
