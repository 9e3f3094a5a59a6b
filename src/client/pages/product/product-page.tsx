import { useAtomValue } from 'jotai'
import type { ProductView } from '#shared/rules/catalogue.ts'
import { failedProductView, productIdFrom } from '#shared/rules/catalogue.ts'
import type { PageModule, PageProps } from '../../router/page.ts'
import { browserShelves, viewOfCatalogue } from '../../state/catalogue.ts'
import { userAtom } from '../../state/session.ts'
import { WithData } from '../../ui/page-data.tsx'
import { carryPicture } from './carry-picture.ts'
import { ProductDetail } from './product-detail.tsx'
import { ProductSkeleton } from './product-skeleton.tsx'
import { Related } from './related.tsx'
import { Failure, NotFound } from './without-product.tsx'

function ProductPage({ place, data }: PageProps<'product'>) {
  return (
    <div className="page page--wide product">
      <Welcome />
      <WithData source={data} fallback={<ProductSkeleton />}>
        {(view) => <Product view={view} address={place.pathname} />}
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

function Product({ view, address }: { view: ProductView; address: string }) {
  const { product, related, failed } = view
  if (failed) return <Failure address={address} />
  if (!product) return <NotFound />
  return (
    <>
      <ProductDetail product={product} />
      {related.length > 0 && <Related products={related} />}
    </>
  )
}

export const page: PageModule<'product'> = {
  Page: ProductPage,
  load({ params }) {
    const id = productIdFrom(params.id ?? '')
    return viewOfCatalogue(({ catalogue, productView }) => productView(catalogue, id), failedProductView)
  },
  loadAhead: browserShelves,
  carry: carryPicture,
  title: ({ product, failed }) => product?.title ?? (failed ? 'Product' : 'Product not found'),
}
