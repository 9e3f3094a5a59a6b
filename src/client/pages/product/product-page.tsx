import { productIdFrom } from '#shared/rules/catalogue.ts'
import { failedProductView, productView } from '#shared/rules/catalogue-views.ts'
import type { PageModule, PageProps } from '../../router/page.ts'
import { viewOfCatalogue } from '../../state/catalogue.ts'
import { WithData } from '../../ui/page-data.tsx'

function ProductPage({ data }: PageProps<'product'>) {
  return (
    <WithData source={data} fallback={<p>Loading...</p>}>
      {({ product }) => <h1>{product ? product.title : 'Product not found.'}</h1>}
    </WithData>
  )
}

export const page: PageModule<'product'> = {
  Page: ProductPage,
  load({ params }) {
    const id = productIdFrom(params.id ?? '')
    return viewOfCatalogue((catalogue) => productView(catalogue, id), failedProductView)
  },
  title: ({ product }) => product?.title ?? 'Product not found',
}
