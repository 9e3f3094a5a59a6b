import { atom, type Getter, useAtom, useAtomValue, useSetAtom } from 'jotai'
import { useEffect, useMemo, useRef, useState } from 'react'
import { savesData } from '#client/app/boot.ts'
import { loadCatalogue } from '#client/app/fetch-catalogue.ts'
import { replaceUrlAtom, viewAtom } from '#client/app/router/page.ts'
import { createStoredAtom, parseStringRecord } from '#client/app/stored-atom.ts'
import { showToastAtom } from '#client/app/toasts.ts'
import {
  addToCartAtom,
  assumedSizesAtom,
  linkedSizesAtom,
  selectedSizesAtom,
  selectSizeAtom,
} from '#client/cart/add-to-cart.ts'
import { cartAtom } from '#client/cart/stored-cart.ts'
import { DialogLink } from '#client/ui/dialog-link.tsx'
import { itemToCartProduct } from '#shared/cart/cart.ts'
import { type Product, parseProductId, type Size, type UnitsLeft } from '#shared/catalogue/catalogue.ts'
import { getSelectedItem, type ItemChoice } from '#shared/catalogue/items.ts'
import { formatKsh } from '#shared/format.ts'
import { href } from '#shared/routes.ts'

/** The labels of the sizes selected during this visit, by product id. */
const visitSizesAtom = createStoredAtom<Readonly<Record<string, string>>>({
  key: 'product-sizes',
  storage: 'session',
  empty: {},
  parse: parseStringRecord,
})

function readSelectedItem(get: Getter, product: Product, left: UnitsLeft | undefined): ItemChoice {
  const params = get(viewAtom)?.location.params
  const { id, sizing } = product
  const label = get(visitSizesAtom)?.[id] ?? (sizing && get(selectedSizesAtom)?.[sizing.scale])
  const assumedLabel = get(assumedSizesAtom)[id] ?? (label && findNearestSize(sizing?.sizes, label))
  return getSelectedItem(product, { id: parseProductId(params?.id ?? ''), label, assumedLabel, left })
}

/**
 * Returns the size whose first number, in months for an age, is nearest to the label's, or undefined for letters.
 * Simpler than the order in `sizes.ts`, which this page doesn't load.
 */
function findNearestSize(sizes: readonly Size[] = [], label: string): string | undefined {
  const rank = (text: string) => Number(/\d+/.exec(text)) * (text.endsWith('years') ? 12 : 1)
  const distance = (size: Size) => Math.abs(rank(size.label) - rank(label))
  return rank(label)
    ? sizes.toSorted((first, second) => distance(first) - distance(second))[0]?.label
    : undefined
}

export function useSelectedItem(product: Product, left: UnitsLeft | undefined): ItemChoice {
  return useAtomValue(useMemo(() => atom((get) => readSelectedItem(get, product, left)), [product, left]))
}

/**
 * Adds the selected item unless all units left are in the cart, and remembers a selected size. Reads the current state,
 * because early clicks are repeated before the selection has rendered.
 */
export const addSelectedItemAtom = atom(null, (get, set, product: Product, left: UnitsLeft | undefined) => {
  const { item, isSizeAssumed } = readSelectedItem(get, product, left)
  const { size } = item
  const { id, sizing } = product
  if (size && sizing?.sizes[1] && !isSizeAssumed) {
    set(visitSizesAtom, (now) => ({ ...now, [id]: size }))
    set(selectSizeAtom, sizing.scale, size)
    // Cards of this scale now add this size, for which they need the catalogue.
    if (!savesData()) void Promise.resolve(loadCatalogue()).catch(() => {})
  }
  const units = left?.[item.id]
  const line = get(cartAtom)?.find((line) => line.id === item.id)
  if (units && line && line.qty >= units) {
    const text = units > 1 ? `All ${units} we have left are` : 'The last one is'
    return void set(showToastAtom, 'info', `${text} already in your cart.`)
  }
  set(addToCartAtom, { ...itemToCartProduct(item), ...(isSizeAssumed && { isSizeAssumed }) })
})

export const ADDED_SIZE_ID = 'added-size'
export const SIZES_ID = 'sizes'

type SizeChoiceProps = ItemChoice & {
  productId: number
  sizing: NonNullable<Product['sizing']>
  left: UnitsLeft | undefined
}

export function SizeChoice({
  productId,
  sizing: { scale, sizes },
  item,
  isSizeAssumed,
  left = {},
}: SizeChoiceProps) {
  const selected = isSizeAssumed ? undefined : item
  const assumedId = isSizeAssumed && left[item.id] !== 0 ? item.id : undefined
  const last = useAtomValue(selectedSizesAtom)?.[scale]
  const isLinked = useAtomValue(linkedSizesAtom)[scale]
  const [visitSizes, setVisitSizes] = useAtom(visitSizesAtom)
  const replaceUrl = useSetAtom(replaceUrlAtom)
  const [isAnnounced, setIsAnnounced] = useState(false)
  const fieldsetRef = useRef<HTMLFieldSetElement>(null)
  const lowestPrice = Math.min(...sizes.map(({ price }) => price))
  const renderLabel = ({ id, label, price }: Size) => (
    <>
      {left[id] === 0 ? <s>{label}</s> : label}
      {left[id] === 0 ? <small>Sold out</small> : price > lowestPrice && <small>{formatKsh(price)}</small>}
    </>
  )

  function select({ id, label }: Size) {
    setIsAnnounced(true)
    setVisitSizes((now) => ({ ...now, [productId]: label }))
    replaceUrl(href('product', { id }))
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, on hydration
  useEffect(() => {
    const checked = fieldsetRef.current?.querySelector<HTMLInputElement>(':checked')
    const size = sizes.find(({ id }) => String(id) === checked?.value)
    if (size && size.id !== selected?.id) select(size)
  }, [])

  return (
    <fieldset ref={fieldsetRef} id={SIZES_ID} className="sizes">
      <legend>
        Size
        {last && !selected && sizes.every(({ label }) => label !== last) && (
          <span>{`: not made in ${last}`}</span>
        )}
        {selected && (
          <span>{`: ${selected.size}${selected.size === last && !visitSizes?.[productId] ? ` (${isLinked ? 'from your search' : 'chosen earlier'})` : ''}`}</span>
        )}
      </legend>
      <DialogLink
        className="sizes__guide"
        href={`${href('about')}#size-guide-${scale}`}
        load={() => import('./size-guide.tsx')}
        renderDialog={({ SizeGuideDialog }, onClose) => (
          <SizeGuideDialog
            scale={scale}
            selection={{ sizes, selected: selected?.size, select }}
            onClose={onClose}
          />
        )}
      >
        Size guide
      </DialogLink>
      <div className="only-hydrating">
        <div className="sizes__options">
          {sizes.map((size) => (
            <label key={size.id} className={size.id === assumedId ? 'chip chip--assumed' : 'chip'}>
              <input
                type="radio"
                name="size"
                value={size.id}
                autoComplete="off"
                checked={size.id === selected?.id}
                aria-describedby={size.id === assumedId ? ADDED_SIZE_ID : undefined}
                // `change` doesn't fire for the size that is already checked.
                onClick={() => select(size)}
                onChange={() => select(size)}
              />
              {renderLabel(size)}
            </label>
          ))}
        </div>
      </div>
      <noscript>
        <ul className="sizes__options">
          {sizes.map((size) => (
            <li key={size.id}>
              <a
                className="chip"
                href={href('product', { id: size.id })}
                aria-current={size.id === selected?.id ? 'true' : undefined}
              >
                {renderLabel(size)}
              </a>
            </li>
          ))}
        </ul>
      </noscript>
      <p className="visually-hidden" role="status">
        {isAnnounced &&
          selected &&
          `Size ${selected.size}: ${left[selected.id] === 0 ? 'sold out' : formatKsh(selected.price)}`}
      </p>
    </fieldset>
  )
}
