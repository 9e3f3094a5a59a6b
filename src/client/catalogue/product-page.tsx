import { useAtom, useAtomValue, useSetAtom } from 'jotai'
import { bootAtom } from '#client/app/boot.ts'
import { loadCatalogue, loadCatalogueView } from '#client/app/fetch-catalogue.ts'
import type { PageLocation, PageProps } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import { userAtom } from '#client/app/session.ts'
import { createStoredAtom, parseStringRecord } from '#client/app/stored-atom.ts'
import { runAfterPaint } from '#client/app/wait.ts'
import { useCart } from '#client/cart/stored-cart.ts'
import { DialogLink } from '#client/ui/dialog-link.tsx'
import { createIdleSection } from '#client/ui/idle-section.tsx'
import { Picture } from '#client/ui/picture.tsx'
import { WasPrice } from '#client/ui/was-price.tsx'
import {
  CATEGORIES,
  failedProductView,
  isInCategory,
  MAX_RATING,
  type Product,
  type ProductView,
  parseProductId,
  type Size,
  type UnitsLeft,
} from '#shared/catalogue/catalogue.ts'
import { DETAIL_PICTURE_SIZE } from '#shared/catalogue/pictures.ts'
import { formatPriceWithVat } from '#shared/checkout/fees.ts'
import { formatKsh, formatStock } from '#shared/format.ts'
import { href } from '#shared/routes.ts'
import type { StockAlerts } from './back-in-stock.tsx'
import { startPictureTransition } from './picture-transition.ts'
import { formatPurchaseTerms } from './purchase-terms.ts'
import { ADDED_SIZE_ID, addSelectedItemAtom, SIZES_ID, SizeChoice, useSelectedItem } from './size-choice.tsx'
import { ZoomLink } from './zoom-link.tsx'

const { Section: RelatedProducts } = createIdleSection(() =>
  import('./related-products.tsx').then((module) => module.RelatedProducts),
)

const { Section: ShareLink } = createIdleSection(() =>
  import('./share-link.tsx').then((module) => module.ShareLink),
)

const BACK_IN_STOCK_ID = 'back-in-stock'
/** Longer texts usually need two lines on a phone of 360 pixels. */
const TITLE_LINE_CHARACTERS = 29
const TERMS_LINE_CHARACTERS = 50
const SIZE_ROW_CHARACTERS = 46
const SIZE_PADDING_CHARACTERS = 4

const { Section: BackInStock } = createIdleSection(() =>
  import('./back-in-stock.tsx').then((module) => module.BackInStock),
)

const stockAlertsAtom = createStoredAtom<StockAlerts>({
  key: 'stock-alerts',
  storage: 'session',
  empty: {},
  parse: parseStringRecord,
})

function ProductPage({ location, data }: PageProps<'product'>) {
  return (
    <div className="page page--wide product">
      <Welcome />
      <WithData source={data} fallback={<ProductSkeleton />}>
        {(view) => <ProductContent view={view} url={location.pathname} />}
      </WithData>
    </div>
  )
}

function Welcome() {
  const user = useAtomValue(userAtom)
  if (!user) return null
  return <p className="eyebrow">{user.name ? `Welcome back, ${user.name}!` : 'Welcome back!'}</p>
}

function ProductContent({ view, url }: { view: ProductView; url: string }) {
  const { product, pictures, related, age, left, hasFailed } = view
  if (hasFailed) {
    return (
      <ProductUnavailable
        heading="We couldn’t load this product"
        text="Please try again in a minute."
        link={{ label: 'Try again', url }}
      />
    )
  }
  if (!product) {
    return (
      <ProductUnavailable
        heading="Product not found."
        text="It may no longer be available."
        link={{ label: 'Back to the shop', url: href('shop') }}
      />
    )
  }
  return (
    <>
      <ProductDetail product={product} pictures={pictures} age={age} left={left} />
      {related.length > 0 && <RelatedProducts products={related} left={left} />}
    </>
  )
}

/** Estimates whether the sizes need more than one row on a phone of 360 pixels. */
function hasTwoRows(sizes: readonly Size[]): boolean {
  return (
    sizes.reduce((width, { label }) => width + label.length + SIZE_PADDING_CHARACTERS, 0) >
    SIZE_ROW_CHARACTERS
  )
}

type ProductDetailProps = Pick<ProductView, 'pictures'> & {
  product: Product
  age: string | undefined
  left: UnitsLeft | undefined
}

function ProductDetail({ product, pictures, age, left }: ProductDetailProps) {
  const addSelectedItem = useSetAtom(addSelectedItemAtom)
  const { delivery, savesData, categories } = useAtomValue(bootAtom)
  const { item, isSizeAssumed } = useSelectedItem(product, left)
  const units = left?.[item.id]
  const isSoldOut = units === 0
  const isOnlySizeSoldOut = isSoldOut && product.sizing?.sizes.some(({ id }) => left?.[id] !== 0)
  const { title, description, category, rating, sizing } = product
  const [alerts, setAlerts] = useAtom(stockAlertsAtom)
  const confirmation = alerts?.[item.id]
  const cart = useCart() ?? []
  const shopCategory = (categories ?? CATEGORIES).findLast((name) => isInCategory(category, name)) ?? 'All'
  const inCart = cart.find(({ id }) => id === item.id)?.qty
  const unconfirmed = cart.find(
    ({ id, isSizeAssumed }) =>
      isSizeAssumed && id !== item.id && sizing?.sizes.some((size) => size.id === id),
  )
  const terms = isSoldOut ? '' : formatPurchaseTerms(delivery, item.price)
  const classNames = [
    'product__detail',
    title.length > TITLE_LINE_CHARACTERS && 'product__detail--title',
    terms.length > TERMS_LINE_CHARACTERS && 'product__detail--terms',
    sizing && hasTwoRows(sizing.sizes) && 'product__detail--sizes',
  ]

  return (
    <article className={classNames.filter(Boolean).join(' ')}>
      <section key={product.id} className="product__images" aria-label="Pictures" tabIndex={pictures[1] && 0}>
        {pictures.map((picture, index) => (
          <ZoomLink key={picture.image} picture={picture}>
            <Picture
              image={picture.image}
              size={DETAIL_PICTURE_SIZE}
              savesData={savesData}
              alt={picture.alt}
              width="640"
              height="800"
              fetchPriority={index === 0 ? 'high' : undefined}
              loading={index === 0 ? undefined : 'lazy'}
            />
          </ZoomLink>
        ))}
      </section>
      <div className="stack">
        <div className="spread">
          <p className="product__category">
            <a href={href('shop', {}, { category: shopCategory })}>{category.toUpperCase()}</a>
          </p>
          <ShareLink product={product} />
        </div>
        <h1>{title}</h1>
        <div className="product__figures">
          <p className="product__price">
            {formatKsh(item.price)} <WasPrice ksh={item.compareAtPrice} />
          </p>
          <p>{formatPriceWithVat(item.price)}</p>
          {age && <p>{age}</p>}
          {units !== undefined && (isSoldOut || !isSizeAssumed) && (
            <p className="product__stock">{`${formatStock(units)}${isOnlySizeSoldOut ? ` in ${item.size}` : ''}`}</p>
          )}
        </div>
        {terms && (
          <p className="note">
            <DialogLink
              href={`${href('contact')}#delivery`}
              load={() =>
                import('#client/contact/terms-dialog.tsx').then((module) => module.loadTermsDialog())
              }
              renderDialog={({ TermsDialog, content }, onClose) => (
                <TermsDialog content={content} onClose={onClose} />
              )}
            >
              {terms}
            </DialogLink>
          </p>
        )}
        {sizing && (
          <SizeChoice
            key={product.id}
            productId={product.id}
            sizing={sizing}
            item={item}
            isSizeAssumed={isSizeAssumed}
            left={left}
          />
        )}
        {isSoldOut && !isSizeAssumed && (
          <BackInStock
            // The first size has the product's id, which is the key of the sizes.
            key={-item.id}
            id={BACK_IN_STOCK_ID}
            item={item.id}
            confirmation={confirmation}
            setAlerts={setAlerts}
          />
        )}
        {rating !== undefined && (
          <p className="product__rating">
            <span className="product__star" />
            <span className="visually-hidden">Rating: </span>
            {`${rating} `}
            <small>{`out of ${MAX_RATING}, rated by our team`}</small>
          </p>
        )}
        <p className="lead">{description}</p>
        <div className="product__actions">
          {(sizing || inCart) && (
            <div className="product__size only-hydrating">
              <p className="spread note">
                <b id={ADDED_SIZE_ID}>
                  {sizing && (
                    <span className={isSizeAssumed ? undefined : 'product__chosen'}>
                      {isSizeAssumed && isSoldOut ? (
                        'Choose a size to hear when it’s back'
                      ) : (
                        <>
                          {isSizeAssumed ? 'Adds size ' : 'Size: '}
                          <span className="unbroken">{item.size}</span>
                        </>
                      )}
                      {inCart && ' · '}
                    </span>
                  )}
                  {inCart && `${inCart}\u00a0in\u00a0cart`}
                </b>
                {sizing?.sizes[1] && !(isSoldOut && isSizeAssumed) && (
                  <a className="sizes__guide" href={`#${SIZES_ID}`}>
                    Change size
                  </a>
                )}
              </p>
              {unconfirmed && !isSizeAssumed && (
                <p className="note">{`Your cart also has size ${unconfirmed.size}.`}</p>
              )}
            </div>
          )}
          {confirmation ? (
            <p>✓ Email alert set</p>
          ) : isSoldOut && isSizeAssumed ? (
            <a className="button" href={`#${SIZES_ID}`}>
              Email me when it’s back
            </a>
          ) : isSoldOut ? (
            <button type="submit" form={BACK_IN_STOCK_ID} className="button">
              Email me when it’s back
            </button>
          ) : (
            <button
              type="button"
              className="button"
              aria-describedby={sizing || inCart ? ADDED_SIZE_ID : undefined}
              onClick={() => runAfterPaint(() => addSelectedItem(product, left))}
            >
              Add to Cart
            </button>
          )}
          <a className="button button--quiet" href={href('cart')}>
            Go to Cart
          </a>
          <noscript>Please turn on JavaScript to add items to your cart.</noscript>
        </div>
      </div>
    </article>
  )
}

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

type ProductUnavailableProps = { heading: string; text: string; link: { label: string; url: string } }

function ProductUnavailable({ heading, text, link: { label, url } }: ProductUnavailableProps) {
  return (
    <div className="notice notice--lost">
      <h1>{heading}</h1>
      <p>{text}</p>
      <a className="button" href={url}>
        {label}
      </a>
    </div>
  )
}

export { loadCatalogue as prefetch, ProductPage as Page, startPictureTransition as viewTransition }

export function load({ params }: PageLocation): ProductView | Promise<ProductView> {
  const id = parseProductId(params.id ?? '')
  return loadCatalogueView(({ catalogue, productView }) => productView(catalogue, id), failedProductView)
}

export function title({ product, hasFailed }: ProductView): string {
  return product?.title ?? (hasFailed ? 'Product' : 'Product not found')
}
