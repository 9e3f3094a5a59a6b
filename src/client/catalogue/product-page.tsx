import { useAtomValue, useSetAtom } from 'jotai'
import { lazy, memo, Suspense } from 'react'
import { bootAtom } from '#client/app/boot.ts'
import { loadCatalogue, loadCatalogueView } from '#client/app/fetch-catalogue.ts'
import type { PageLocation, PageProps } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import { userAtom } from '#client/app/session.ts'
import { afterPaint } from '#client/app/wait.ts'
import { addToCartAtom } from '#client/cart/add-to-cart.ts'
import { Picture } from '#client/ui/picture.tsx'
import { itemToCartProduct } from '#shared/cart/cart.ts'
import {
  failedProductView,
  MAX_RATING,
  type Product,
  type ProductView,
  parseProductId,
  type UnitsLeft,
} from '#shared/catalogue/catalogue.ts'
import { DETAIL } from '#shared/catalogue/pictures.ts'
import { formatKsh, stockText } from '#shared/format.ts'
import { href } from '#shared/routes.ts'
import { startPictureTransition } from './picture-transition.ts'
import { RelatedProducts } from './related-products.tsx'
import { SizeChoice, useSelectedItem } from './size-choice.tsx'

/** Fetched only where an item is sold out. */
const LazyBackInStock = lazy(async () => ({ default: (await import('./back-in-stock.tsx')).BackInStock }))

/** What the server sent stays on the screen until the script is there, also when the page around it renders again. */
const BackInStock = memo(({ item }: { item: number }) => (
  <Suspense>
    <LazyBackInStock key={item} item={item} />
  </Suspense>
))

/** One product, and others of its category (§ 2). */
function ProductPage({ location, data }: PageProps<'product'>) {
  return (
    <div className="page page--wide product">
      <Welcome />
      <WithData source={data} fallback={<ProductSkeleton />}>
        {(view) => <ProductContent view={view} address={location.pathname} />}
      </WithData>
    </div>
  )
}

/** The greeting, if a user is in state (§ 2). */
function Welcome() {
  const user = useAtomValue(userAtom)
  if (!user) return null
  return <p className="eyebrow">{user.name ? `Welcome back, ${user.name}!` : 'Welcome back!'}</p>
}

function ProductContent({ view, address }: { view: ProductView; address: string }) {
  const { product, pictures, related, left, failed } = view
  if (failed) return <Failure address={address} />
  if (!product) return <ProductNotFound />
  return (
    <>
      <ProductDetail product={product} pictures={pictures} left={left} />
      {related.length > 0 && <RelatedProducts products={related} left={left} />}
    </>
  )
}

type ProductDetailProps = Pick<ProductView, 'pictures'> & { product: Product; left: UnitsLeft | undefined }

/** Everything about one product, with its sizes and cart buttons (§ 2). */
function ProductDetail({ product, pictures, left }: ProductDetailProps) {
  const addToCart = useSetAtom(addToCartAtom)
  const { savesData } = useAtomValue(bootAtom)
  const { item, isSizeAssumed } = useSelectedItem(product, left)
  const units = left?.[item.id]
  const { title, description, category, rating, sizing } = product

  function add() {
    afterPaint(() => addToCart({ ...itemToCartProduct(item), ...(isSizeAssumed && { isSizeAssumed }) }))
  }

  return (
    <article className="product__detail">
      <section key={product.id} className="product__images" aria-label="Pictures" tabIndex={pictures[1] && 0}>
        {pictures.map(({ image, alt }, index) => (
          <Picture
            key={image}
            image={image}
            size={DETAIL}
            savesData={savesData}
            alt={alt}
            width="640"
            height="800"
            fetchPriority={index === 0 ? 'high' : undefined}
            loading={index === 0 ? undefined : 'lazy'}
          />
        ))}
      </section>
      <div className="stack">
        <p className="product__category">{category.toUpperCase()}</p>
        <h1>{title}</h1>
        <div className="product__figures">
          <p className="product__rating">
            <span className="product__star" aria-hidden="true" />
            <span className="visually-hidden">Rating: </span>
            {rating}
            <span className="visually-hidden">{` out of ${MAX_RATING}`}</span>
          </p>
          <p className="product__price">{formatKsh(item.price)}</p>
          {units !== undefined && <p className="product__stock">{stockText(units)}</p>}
        </div>
        {sizing && (
          <SizeChoice
            key={product.id}
            sizing={sizing}
            chosen={isSizeAssumed ? undefined : item}
            left={left}
          />
        )}
        <p className="lead">{description}</p>
        <div className="product__actions">
          <button type="button" className="button" disabled={units === 0} onClick={add}>
            Add to Cart
          </button>
          <a className="button button--quiet" href={href('cart')}>
            Go to Cart
          </a>
        </div>
        {units === 0 && <BackInStock item={item.id} />}
      </div>
    </article>
  )
}

/** What is shown while the product loads. */
function ProductSkeleton() {
  return (
    <div className="product__detail" role="status">
      <span className="visually-hidden">Loading...</span>
      <div className="product__images">
        <span />
      </div>
      <div className="stack lead" aria-hidden="true">
        <span className="line line--short" />
        <span className="line" />
        <span className="line line--short" />
        <span className="line" />
        <span className="line" />
        <span className="line" />
      </div>
    </div>
  )
}

/** No product has this id (§ 2). */
function ProductNotFound() {
  return (
    <div className="notice notice--lost">
      <h1>Product not found.</h1>
      <p>It may no longer be available.</p>
      <a className="button" href={href('shop')}>
        Back to the shop
      </a>
    </div>
  )
}

/** The catalogue could not be loaded (§ 8). */
function Failure({ address }: { address: string }) {
  return (
    <div className="notice notice--lost">
      <h1>We couldn’t load this product</h1>
      <p>Please try again in a minute.</p>
      <a className="button" href={address}>
        Try again
      </a>
    </div>
  )
}

export { loadCatalogue as prefetch, ProductPage as Page, startPictureTransition as viewTransition }

/** The product and others of its category (§ 2). */
export function load({ params }: PageLocation): ProductView | Promise<ProductView> {
  const id = parseProductId(params.id ?? '')
  return loadCatalogueView(({ catalogue, productView }) => productView(catalogue, id), failedProductView)
}

export function title({ product, failed }: ProductView): string {
  return product?.title ?? (failed ? 'Product' : 'Product not found')
}
