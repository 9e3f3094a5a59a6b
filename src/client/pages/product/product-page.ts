import { failedProductView, type ProductView, productIdFrom } from '#shared/rules/catalogue.ts'
import type { PageLocation } from '../../router/page.ts'
import { loadCatalogue, viewOfCatalogue } from '../../state/catalogue.ts'
import { startPictureTransition } from './picture-transition.ts'
import { ProductPage } from './product.tsx'

export { loadCatalogue as prefetch, ProductPage as Page, startPictureTransition as viewTransition }

/** The product and others of its category (§ 2). */
export function load({ params }: PageLocation): ProductView | Promise<ProductView> {
  const id = productIdFrom(params.id ?? '')
  return viewOfCatalogue(({ catalogue, productView }) => productView(catalogue, id), failedProductView)
}

export function title({ product, failed }: ProductView): string {
  return product?.title ?? (failed ? 'Product' : 'Product not found')
}
