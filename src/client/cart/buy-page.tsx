import { useSetAtom } from 'jotai'
import { useEffect, useRef } from 'react'
import { loadCatalogueView } from '#client/app/fetch-catalogue.ts'
import { navigate, type PageLocation, type PageProps } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import { NoScriptNotice } from '#client/ui/no-script-notice.tsx'
import { Picture } from '#client/ui/picture.tsx'
import type { Cart } from '#shared/cart/cart.ts'
import { type ResolvedCartLink, resolveCartLink } from '#shared/cart/cart-link.ts'
import { THUMBNAIL_PICTURE_SIZE } from '#shared/catalogue/pictures.ts'
import { calculateLineTotalCents } from '#shared/checkout/pricing.ts'
import { formatMoney, formatNameWithSize, kshToCents } from '#shared/format.ts'
import { href } from '#shared/routes.ts'
import { fillCartAtom } from './cart-link.ts'

function BuyPage({ location, data }: PageProps<'buy'>) {
  return (
    <div className="page order stack stack--l">
      <WithData source={data} fallback={<p role="status">Loading...</p>}>
        {(view) => <LinkContent view={view} url={location.pathname} />}
      </WithData>
    </div>
  )
}

function LinkContent({ view, url }: { view: ResolvedCartLink; url: string }) {
  if (view.outcome === 'malformed') return <MalformedLink />
  if (view.outcome === 'failed') return <LoadError url={url} />
  const { lines, problems } = view
  return (
    <>
      <h1>Your items</h1>
      {problems.length > 0 && (
        <div className="banner">
          <div className="stack stack--s">
            {problems.map((problem) => (
              <p key={problem}>{problem}</p>
            ))}
          </div>
        </div>
      )}
      {lines.length > 0 ? (
        <LinkedLines lines={lines} problems={problems} />
      ) : (
        <p>
          <a className="button" href={href('shop')}>
            Browse Products
          </a>
        </p>
      )}
    </>
  )
}

function LinkedLines({ lines, problems }: { lines: Cart; problems: readonly string[] }) {
  const fillCart = useSetAtom(fillCartAtom)
  const isFilledRef = useRef(false)

  useEffect(() => {
    if (isFilledRef.current) return
    isFilledRef.current = true
    void fillCart(lines, problems).then(() => navigate(href('cart'), { replace: true }))
  }, [lines, problems, fillCart])

  return (
    <>
      <p className="only-hydrating" role="status">
        Opening your cart...
      </p>
      <NoScriptNotice
        feature="Your cart"
        explanation="Your cart is stored in your browser, so we can’t fill it without JavaScript."
      />
      <div className="panel">
        <ul className="order__lines">
          {lines.map(({ id, title, size, image, price, qty }) => (
            <li key={id} className="order__line">
              <Picture
                className="thumb"
                image={image}
                size={THUMBNAIL_PICTURE_SIZE}
                width="80"
                height="100"
              />
              <p className="order__title item-title">
                <a href={href('product', { id })}>{formatNameWithSize(title, size)}</a>
              </p>
              <p className="order__unit-price note">{`${qty} × ${formatMoney(kshToCents(price))}`}</p>
              <p>{formatMoney(calculateLineTotalCents({ price, qty }))}</p>
            </li>
          ))}
        </ul>
      </div>
    </>
  )
}

function MalformedLink() {
  return (
    <div className="notice notice--lost">
      <h1>This link doesn’t work</h1>
      <p>Part of it may be missing. Please copy the whole link again, or choose your items in the shop.</p>
      <a className="button" href={href('shop')}>
        Browse Products
      </a>
    </div>
  )
}

function LoadError({ url }: { url: string }) {
  return (
    <div className="notice notice--lost">
      <h1>We couldn’t load these products</h1>
      <p>Please try again in a minute.</p>
      <a className="button" href={url}>
        Try again
      </a>
    </div>
  )
}

export { BuyPage as Page }

export function load({ params }: PageLocation): ResolvedCartLink | Promise<ResolvedCartLink> {
  return loadCatalogueView(({ catalogue }) => resolveCartLink(params.lines ?? '', catalogue), {
    outcome: 'failed',
  })
}
