import { useSetAtom } from 'jotai'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { loadCatalogue } from '#client/app/fetch-catalogue.ts'
import { loadContent } from '#client/app/fetch-content.ts'
import { isRouterSupported, navigate } from '#client/app/router/page.ts'
import {
  AUDIENCES,
  FILTERS_ID,
  type OfferedSizes,
  PRODUCT_COUNT_ID,
  parseShopQuery,
  type ShopFilter,
  type ShopView,
  shopHref,
  toShopParameters,
} from '#shared/catalogue/shop-filter.ts'
import type { ProductCount } from '#shared/catalogue/shop-search.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import { enteredFilterAtom, listCategories } from './categories.ts'

export function FilterForm({ view, sizes }: { view: ShopView; sizes: OfferedSizes }) {
  const { category, query, sort } = view
  const formRef = useRef<HTMLFormElement>(null)
  const [counted, setCounted] = useState<ProductCount>()
  const [audience, setAudience] = useState(view.audience)
  const setEnteredFilter = useSetAtom(enteredFilterAtom)

  function readFilter(): ShopFilter | undefined {
    if (!formRef.current) return undefined
    const fields = Array.from(new FormData(formRef.current), ([name, value]) => [name, String(value)])
    return parseShopQuery(new URLSearchParams(fields), listCategories())
  }

  async function updateCount() {
    const [{ catalogue }, { searchWords }, { countProducts }] = await Promise.all([
      loadCatalogue(),
      loadContent(),
      import('#shared/catalogue/shop-search.ts'),
    ])
    const filter = readFilter()
    if (filter) setCounted(await countProducts(catalogue, filter, searchWords))
  }

  function readForm() {
    const filter = readFilter()
    setEnteredFilter(filter)
    setAudience(filter?.audience)
    updateCount().catch(() => {})
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs on mount, and when the sizes offered change
  useEffect(readForm, [audience])
  useEffect(() => () => setEnteredFilter(undefined), [setEnteredFilter])

  function submit(event: FormEvent) {
    const filter = readFilter()
    if (!filter || !isRouterSupported()) return
    event.preventDefault()
    navigate(`${shopHref(filter)}#${PRODUCT_COUNT_ID}`, { replace: true })
  }

  return (
    <form
      ref={formRef}
      id={FILTERS_ID}
      className="panel filters"
      action={href('shop')}
      aria-label="Filters"
      autoComplete="off"
      onSubmit={submit}
      onInput={readForm}
    >
      {Object.entries(toShopParameters({ category, query, sort })).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {(view.isSplitByAudience || view.audience) && (
        <div className="field">
          <label htmlFor="for">For</label>
          <select id="for" name="for" defaultValue={view.audience ?? ''}>
            <option value="">Everyone</option>
            {AUDIENCES.map((audience) => (
              <option key={audience}>{audience}</option>
            ))}
          </select>
        </div>
      )}
      <div className="field">
        <label htmlFor="size">Age or size</label>
        <select id="size" name="size" defaultValue={view.sizeLabel ?? ''}>
          <option value="">Any</option>
          {sizes[audience ?? 'Everyone'].map(({ name, sizes }) => (
            <optgroup key={name} label={name}>
              {sizes.map((size) => (
                <option key={size}>{size}</option>
              ))}
            </optgroup>
          ))}
        </select>
      </div>
      <PriceField
        name="min"
        label={
          <>
            Price from<span className="visually-hidden">, with VAT</span>
          </>
        }
        value={view.minKsh}
      />
      <PriceField name="max" label="Price to, with VAT" value={view.maxKsh} />
      <div className="field">
        <label htmlFor="stock">Availability</label>
        <select id="stock" name="stock" defaultValue={view.inStock ? '1' : ''}>
          <option value="">All</option>
          <option value="1">In stock</option>
        </select>
      </div>
      <button type="submit" className="button">
        {formatShowButton(counted)}
      </button>
    </form>
  )
}

function formatShowButton(counted: ProductCount | undefined): string {
  if (!counted) return 'Show products'
  const { count, isNearMatch } = counted
  if (isNearMatch) return 'Show closest products'
  return `Show ${count} ${count === 1 ? 'product' : 'products'}`
}

type PriceFieldProps = { name: string; label: ReactNode; value: number | undefined }

function PriceField({ name, label, value }: PriceFieldProps) {
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      <input
        id={name}
        name={name}
        type="number"
        placeholder={shop.currency}
        inputMode="numeric"
        min="0"
        max="99999999"
        defaultValue={value}
      />
    </div>
  )
}
