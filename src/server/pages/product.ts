import { failedProductView, productIdFrom } from '#shared/rules/catalogue.ts'
import { productView } from '#shared/rules/catalogue-views.ts'
import { catalogueView, type PageLoader } from './page.ts'
import { productHead } from './product-head.ts'

/** One product; 404 when the id names none (§ 2). Waits for the catalogue, because the status depends on it. */
export const productPage: PageLoader<'product'> = async (request) => {
  const id = productIdFrom(request.params.id ?? '')
  const data = await catalogueView(request, (catalogue) => productView(catalogue, id), failedProductView)
  if (data.product) return { status: 200, data, head: productHead(data.product, request.origin) }
  return data.failed
    ? { status: 200, data, head: {} }
    : { status: 404, data, head: { title: 'Product not found', indexed: false } }
}
