import { href } from '#shared/routes.ts'
import { categoryFrom } from '#shared/rules/catalogue.ts'
import { failedShopView, shopView } from '#shared/rules/catalogue-views.ts'
import { catalogueView, type PageLoader } from './page.ts'

/** The Shop under the category in the address; an unknown one is All (§ 2). */
export const shopPage: PageLoader<'shop'> = (request) => {
  const category = categoryFrom(request.url.searchParams.get('category'))
  return {
    status: 200,
    data: catalogueView(request, (catalogue) => shopView(catalogue, category), failedShopView(category)),
    head:
      category === 'All'
        ? {}
        : { title: `${category} · Shop`, canonical: request.origin + href('shop', {}, { category }) },
  }
}
