import { useAtom, useAtomValue } from 'jotai'
import { Fragment, useEffect } from 'react'
import { clockAtom } from '#client/app/clock.ts'
import { loadCatalogue, loadCatalogueView } from '#client/app/fetch-catalogue.ts'
import { loadContent } from '#client/app/fetch-content.ts'
import type { PageLocation, PageProps } from '#client/app/router/page.ts'
import { type DataSource, WithData } from '#client/app/router/page-data.tsx'
import { isCacheable } from '#shared/catalogue/applied-filters.ts'
import { type Category, SKELETON_CARDS } from '#shared/catalogue/catalogue.ts'
import {
  createFailedShopView,
  formatShopTitle,
  parseShopQuery,
  type ShopFilter,
  type ShopQuery,
  type ShopView,
  shopHref,
} from '#shared/catalogue/shop-filter.ts'
import { getShopGreeting } from '#shared/greeting.ts'
import { AudienceChips } from './audience-chips.tsx'
import { categoriesAtom, enteredFilterAtom, listCategories } from './categories.ts'
import { Products } from './product-grid.tsx'
import { fetchRefinements, fetchSearch } from './refinements.ts'
import { ShopControls } from './search-form.tsx'

function ShopPage({ location, data }: PageProps<'shop'>) {
  const categories = useAtomValue(categoriesAtom)
  const choice = parseShopQuery(location.search, categories)
  return (
    <div className="page page--wide shop">
      <Greeting />
      <ShopControls choice={choice}>
        <CategoryFilter choice={choice} categories={categories} source={data} />
      </ShopControls>
      <WithData source={data} fallback={<SkeletonGrid />}>
        {(view) => <Products view={view} />}
      </WithData>
    </div>
  )
}

/** This is a separate component, so that the clock's change on hydration doesn't re-render the page's Suspense boundary. */
function Greeting() {
  const [{ hour }, update] = useAtom(clockAtom)
  useEffect(update, [update])
  return <p className="eyebrow">{getShopGreeting(hour)}</p>
}

type CategoryFilterProps = {
  choice: ShopFilter
  categories: readonly Category[]
  source: DataSource<ShopView>
}

function CategoryFilter({ choice, categories, source }: CategoryFilterProps) {
  const filter = useAtomValue(enteredFilterAtom) ?? choice
  return (
    <nav aria-label="Categories">
      <ul className="filter">
        {categories.map((category) => (
          <Fragment key={category}>
            <li>
              <a
                className="chip"
                href={shopHref({ ...filter, category, ...(category === 'All' && { audience: undefined }) })}
                aria-current={
                  (category === choice.category && !(category === 'All' && choice.audience)) || undefined
                }
              >
                {category}
              </a>
            </li>
            {category === 'All' && <AudienceChips choice={choice} source={source} />}
          </Fragment>
        ))}
      </ul>
    </nav>
  )
}

function SkeletonGrid() {
  return (
    <>
      <p className="shop__count note" role="status">
        Loading products...
      </p>
      <ul className="grid grid--skeleton" aria-hidden="true">
        {Array.from({ length: SKELETON_CARDS }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the cards are all alike
          <li key={index}>
            <span className="grid__image" />
            <span className="line line--short" />
            <span className="line line--short" />
            <span className="line" />
            <span className="line" />
          </li>
        ))}
      </ul>
    </>
  )
}

export { formatShopTitle as title, loadCatalogue as prefetch, ShopPage as Page }

/** Reads the titles and shortened descriptions from the cards, because the data block doesn't repeat them. */
export function restoreData(view: ShopView): ShopView {
  const images = document.querySelectorAll<HTMLImageElement>('.grid img')
  const texts = document.querySelectorAll('.grid>li>p:last-of-type')
  const products = view.products.map((product, index) => ({
    ...product,
    title: images[index]?.alt ?? '',
    description: texts[index]?.textContent ?? '',
  }))
  return { ...view, products }
}

/** Loads one page of products or, after "More products", all pages from the first one shown. */
export function load({ search, appendedTo }: PageLocation): ShopView | Promise<ShopView> {
  const choice = parseShopQuery(search, listCategories())
  const since = appendedTo ? appendedTo.get('page') : choice.page
  if (!isCacheable(choice) || choice.isFilterOpen) return loadFilteredView(choice, since)
  if (appendedTo) return loadAppendedView(choice, since)
  return loadCatalogueView(({ catalogue, shopView }) => {
    const view = shopView(catalogue, choice)
    return view.count > 0 ? view : fetchRefinements().then(() => view)
  }, createFailedShopView(choice))
}

async function loadAppendedView(choice: ShopQuery, since: string | null): Promise<ShopView> {
  const { catalogue, shopView } = await loadCatalogue()
  return shopView(catalogue, choice, { since })
}

async function loadFilteredView(choice: ShopQuery, since: string | null): Promise<ShopView> {
  const [{ createSearchView }, { searchWords }] = await Promise.all([
    fetchSearch(),
    loadContent(),
    fetchRefinements(),
  ])
  return loadCatalogueView(
    ({ catalogue }) =>
      createSearchView(catalogue, choice, searchWords, { since, categories: listCategories() }),
    createFailedShopView(choice),
  )
}
