import { useAtom } from 'jotai'
import { useEffect } from 'react'
import { clockAtom } from '#client/app/clock.ts'
import { loadCatalogue, loadCatalogueView } from '#client/app/fetch-catalogue.ts'
import type { PageLocation, PageProps } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import { CATEGORIES, SKELETON_CARDS } from '#shared/catalogue/catalogue.ts'
import {
  failedShopView,
  isNarrowed,
  type ShopChoice,
  type ShopFilter,
  type ShopView,
  shopChoiceFrom,
  shopHref,
  shopTitle,
} from '#shared/catalogue/shop-filter.ts'
import { shopGreeting } from '#shared/greeting.ts'
import { Products } from './product-grid.tsx'
import { fetchRefinements, fetchSearch } from './refinements.ts'
import { ShopControls } from './search-form.tsx'

/** The Shop (§ 2). */
function ShopPage({ location, data }: PageProps<'shop'>) {
  const chosen = shopChoiceFrom(location.search)
  return (
    <div className="page page--wide shop">
      <Greeting />
      <ShopControls chosen={chosen}>
        <CategoryFilter chosen={chosen} />
      </ShopControls>
      <WithData source={data} fallback={<SkeletonGrid />}>
        {(view) => <Products view={view} />}
      </WithData>
    </div>
  )
}

/** A component of its own: the clock changes on hydration, and React would render a Suspense boundary below it anew. */
function Greeting() {
  const [{ hour }, update] = useAtom(clockAtom)
  useEffect(update, [update])
  return <p className="eyebrow">{shopGreeting(hour)}</p>
}

/** The filter buttons: links, so that a choice can be shared and works without scripts (§ 2). Everything else that is chosen stays. */
function CategoryFilter({ chosen }: { chosen: ShopFilter }) {
  return (
    <nav aria-label="Categories">
      <ul className="filter">
        {CATEGORIES.map((category) => (
          <li key={category}>
            <a
              className="chip"
              href={shopHref({ ...chosen, category })}
              aria-current={category === chosen.category ? 'true' : undefined}
            >
              {category}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Six empty cards while the catalogue loads (§ 2). */
function SkeletonGrid() {
  return (
    <div role="status">
      <p className="shop__count">Loading products…</p>
      <ul className="grid grid--skeleton" aria-hidden="true">
        {Array.from({ length: SKELETON_CARDS }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the cards are all alike
          <li key={index}>
            <span className="grid__image" />
            <span className="line line--short" />
            <span className="line" />
            <span className="line" />
            <span className="line line--short" />
          </li>
        ))}
      </ul>
    </div>
  )
}

export { fetchRefinements as fetchSections, loadCatalogue as prefetch, ShopPage as Page, shopTitle as title }

/** The Shop's data (§ 2): a page of products, or all since the first one shown when further ones are appended. */
export function load({ search, appendedTo }: PageLocation): ShopView | Promise<ShopView> {
  const choice = shopChoiceFrom(search)
  const since = appendedTo ? appendedTo.get('page') : choice.page
  if (isNarrowed(choice) || choice.isFiltering) return loadNarrowed(choice, since)
  if (appendedTo) return loadAppended(choice, since)
  return loadCatalogueView(({ catalogue, shopView }) => shopView(catalogue, choice), failedShopView(choice))
}

async function loadAppended(choice: ShopChoice, since: string | null): Promise<ShopView> {
  const { catalogue, shopView } = await loadCatalogue()
  return shopView(catalogue, choice, { since })
}

/** What is searched for and filtered, with the code that the Shop's first load does without. */
async function loadNarrowed(choice: ShopChoice, since: string | null): Promise<ShopView> {
  const [{ searchView }] = await Promise.all([fetchSearch(), fetchRefinements()])
  return loadCatalogueView(({ catalogue }) => searchView(catalogue, choice, since), failedShopView(choice))
}
