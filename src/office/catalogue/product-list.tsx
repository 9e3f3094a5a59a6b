import {
  CATALOGUE_PATH,
  CATEGORIES_PATH,
  getProductPath,
  PREVIEW_PATH,
  PUBLISH_PATH,
} from '#office/platform/sections.ts'
import { SelectField } from '#office/platform/select-field.tsx'
import type { Draft, DraftEntry } from '#server/catalogue/draft.ts'
import { hasChanges } from '#server/catalogue/publish-draft.ts'
import { PLACEHOLDER_IMAGE } from '#shared/cart/cart.ts'
import { getThumbnailUrl } from '#shared/catalogue/pictures.ts'
import { formatMoney, formatNumber, kshToCents } from '#shared/format.ts'
import { BULK_FORM_ID, type BulkFields, DEFAULT_BULK_FIELDS } from './bulk-form.ts'
import { BulkPanel } from './bulk-panel.tsx'
import { ImportPanel } from './import-panel.tsx'
import { filterEntries, type ProductListFilter } from './list-filter.ts'
import { listUsableCategories } from './product-fields.ts'

const PRODUCTS_PER_PAGE = 60

type ProductListProps = { draft: Draft; filter: ProductListFilter; search: string; bulk?: BulkFields }

/** `search` is the filter as a query string. `bulk` has the fields of a bulk edit that failed. */
export function ProductList({ draft, filter, search, bulk = DEFAULT_BULK_FIELDS }: ProductListProps) {
  const { query, category, state, page } = filter
  const categories = [
    ...new Set(draft.entries.map(({ product }) => product.category).filter(Boolean)),
  ].toSorted()
  const matchingEntries = filterEntries(draft.entries, filter)
  const isUnfiltered = matchingEntries.length === draft.entries.length
  const visible = matchingEntries.slice((page - 1) * PRODUCTS_PER_PAGE, page * PRODUCTS_PER_PAGE)
  const pageLink = (to: number) =>
    `${CATALOGUE_PATH}?${new URLSearchParams({ q: query, category, state, page: String(to) })}`
  return (
    <>
      <h1>Catalogue</h1>
      <div className="actions">
        <a className="button" href={PUBLISH_PATH}>
          {hasChanges(draft) ? 'Review and publish' : 'View versions'}
        </a>
        <a className="button button--quiet" href={getProductPath('new')}>
          Add product
        </a>
        <a className="button button--quiet" href={PREVIEW_PATH}>
          Preview shop
        </a>
        <a className="button button--quiet" href={CATEGORIES_PATH}>
          Edit categories
        </a>
      </div>
      <FilterForm filter={filter} categories={categories} />
      <p className="note">
        {formatNumber(matchingEntries.length)} of {formatNumber(draft.entries.length)} products
      </p>
      {matchingEntries.length === 0 ? (
        <p className="empty">
          {draft.entries.length === 0
            ? 'No products yet. Add a product, or import a file below.'
            : 'No products match. Try another name, number, category or visibility.'}
        </p>
      ) : null}
      <ul className="rows">
        {visible.map((entry) => (
          <ProductRow
            key={entry.product.id}
            entry={entry}
            canMove={isUnfiltered}
            search={search}
            isSelected={bulk.ids.has(entry.product.id)}
          />
        ))}
      </ul>
      <div className="actions actions--small">
        {page > 1 ? (
          <a className="button button--quiet" href={pageLink(page - 1)}>
            Show previous products
          </a>
        ) : null}
        {matchingEntries.length > page * PRODUCTS_PER_PAGE ? (
          <a className="button button--quiet" href={pageLink(page + 1)}>
            Show more products
          </a>
        ) : null}
      </div>
      {matchingEntries.length > 0 ? (
        <BulkPanel
          fields={bulk}
          matchCount={matchingEntries.length}
          action={`${CATALOGUE_PATH}/bulk${search}`}
          categories={listUsableCategories(draft)}
        />
      ) : null}
      <ImportPanel />
    </>
  )
}

function FilterForm({ filter, categories }: { filter: ProductListFilter; categories: readonly string[] }) {
  const { query, category, state } = filter
  return (
    <search>
      <form className="filters" action={CATALOGUE_PATH}>
        <div className="field field--wide">
          <label htmlFor="q">Product name or number</label>
          <input id="q" name="q" type="search" defaultValue={query} autoComplete="off" />
        </div>
        <SelectField
          empty="All"
          name="category"
          label="Category"
          value={category}
          options={categories.map((name) => [name, name])}
        />
        <SelectField
          empty="All"
          name="state"
          label="Visibility"
          value={state}
          options={[
            ['active', 'Visible'],
            ['hidden', 'Hidden'],
          ]}
        />
        <button className="button button--quiet" type="submit">
          Search products
        </button>
      </form>
    </search>
  )
}

const MOVE_LABELS = [
  ['first', 'To top'],
  ['up', 'Up'],
  ['down', 'Down'],
] as const

type ProductRowProps = { entry: DraftEntry; canMove: boolean; search: string; isSelected: boolean }

/** In a filtered list, a product can't be moved, because the list hides its neighbours. */
function ProductRow({ entry: { product, isHidden }, canMove, search, isSelected }: ProductRowProps) {
  const { id, title, price, salePrice, category, images, sizes } = product
  const name = title || 'Untitled product'
  const count = sizes.filter((size) => !size.isHidden).length
  return (
    <li className="row product-row" id={`product-${id}`}>
      <label className="product-row__choice">
        <input type="checkbox" name={`id-${id}`} form={BULK_FORM_ID} defaultChecked={isSelected} />
        <span className="visually-hidden">Select {name}</span>
      </label>
      <a className="product-row__link" href={getProductPath(id) + search}>
        <img
          className="thumb"
          src={getThumbnailUrl(images[0]?.image ?? '') ?? PLACEHOLDER_IMAGE}
          alt=""
          width="96"
          height="120"
          loading="lazy"
        />
        <span>
          <strong>{name}</strong>
          <span className="note">
            {formatPrices(price, salePrice)}, {category || 'no category'}
            {count > 1 ? `, ${count} sizes` : ''}
          </span>
          {isHidden ? <span className="mark">Hidden</span> : null}
        </span>
      </a>
      <div className="actions actions--small">
        {canMove ? (
          <form className="actions actions--small" method="post" action={`${CATALOGUE_PATH}/move${search}`}>
            <input type="hidden" name="id" value={id} />
            {MOVE_LABELS.map(([to, text]) => (
              <button key={to} className="button button--quiet" type="submit" name="to" value={to}>
                <span className="visually-hidden">Move </span>
                {text}
                <span className="visually-hidden">: {name}</span>
              </button>
            ))}
          </form>
        ) : null}
        <form method="post" action={`${CATALOGUE_PATH}/state${search}`}>
          <input type="hidden" name="id" value={id} />
          <button
            className="button button--quiet"
            type="submit"
            name="to"
            value={isHidden ? 'active' : 'hidden'}
          >
            {isHidden ? 'Show' : 'Hide'}
            <span className="visually-hidden">: {name}</span>
          </button>
        </form>
      </div>
    </li>
  )
}

function formatPrices(price: number | null, salePrice: number | null): string {
  if (price === null) return 'No price'
  const regular = formatMoney(kshToCents(price))
  return salePrice === null ? regular : `${regular}, sale ${formatMoney(kshToCents(salePrice))}`
}
