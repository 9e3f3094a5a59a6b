import type { OfficeContext } from '#office/context.ts'
import { SearchField } from '#office/platform/search-form.tsx'
import { readLatestCatalogue } from '#server/catalogue/catalogue-versions.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { readStock } from '#server/stock/read-stock.ts'
import { type Cart, itemToCartProduct, MAX_QTY } from '#shared/cart/cart.ts'
import type { Catalogue, Product } from '#shared/catalogue/catalogue.ts'
import { withStock } from '#shared/catalogue/catalogue-stock.ts'
import { findItem, listProductItems } from '#shared/catalogue/items.ts'
import { getThumbnailUrl } from '#shared/catalogue/pictures.ts'
import { formatMoney, formatNameWithSize, kshToCents } from '#shared/format.ts'
import { createItemMatcher } from './item-name.ts'

type Fields = ((name: string) => string) & { names: readonly string[] }

const QTY_FIELD_PATTERN = /^qty-(\d{1,15})$/
const MAX_RESULTS = 12

/** Unlike the shop's catalogue, it has the stock of every item that isn't made to order. */
export async function readCatalogueWithStock(ctx: OwnerContext<OfficeContext>): Promise<Catalogue> {
  const [catalogue, stock] = await Promise.all([readLatestCatalogue(ctx), readStock(ctx)])
  const unitsLeft = Array.from(
    stock,
    ([itemId, { onHand, reserved }]) => [itemId, Math.max(onHand - reserved, 0)] as const,
  )
  return withStock(catalogue, Object.fromEntries(unitsLeft))
}

export const QTY_MESSAGE = `Please enter quantities as whole numbers from 0 to ${MAX_QTY}.`

/** Returns undefined if the text isn't a whole number up to `MAX_QTY`. */
export function parseQty(text: string): number | undefined {
  return /^\d{1,2}$/.test(text.trim()) ? Number(text) : undefined
}

export type PickedItems = {
  lines: Cart
  /** The invalid quantities as typed, by item. The `qty` of these lines is 0. */
  invalidQtys: ReadonlyMap<number, string>
}

export function parsePickedItems(field: Fields, catalogue: Catalogue): PickedItems {
  const texts = new Map<number, string>()
  for (const name of field.names) {
    const [, id] = QTY_FIELD_PATTERN.exec(name) ?? []
    if (id) texts.set(Number(id), field(name))
  }
  const added = Number(field('add'))
  const addedQty = parseQty(texts.get(added) ?? '0')
  if (added > 0 && addedQty !== undefined) texts.set(added, String(Math.min(addedQty + 1, MAX_QTY)))
  const invalidQtys = new Map<number, string>()
  const lines = Array.from(texts).flatMap(([id, text]) => {
    const item = findItem(catalogue, id)
    const qty = parseQty(text)
    if (!item || qty === 0) return []
    if (qty === undefined) invalidQtys.set(id, text)
    return { ...itemToCartProduct(item), qty: qty ?? 0 }
  })
  return { lines, invalidQtys }
}

type ItemPickerProps = PickedItems & { catalogue: Catalogue; query: string }

export function ItemPicker({ catalogue, query, ...picked }: ItemPickerProps) {
  return (
    <>
      <ItemSearch catalogue={catalogue} query={query} />
      <PickedList catalogue={catalogue} {...picked} />
    </>
  )
}

/** Render it inside a form, because its buttons submit `q` or `add` with that form's fields. */
export function ItemSearch({ catalogue, query }: Pick<ItemPickerProps, 'catalogue' | 'query'>) {
  const matches = createItemMatcher(query)
  const matchingProducts = query.trim()
    ? catalogue.filter((product) =>
        listProductItems(product).some(({ id, size }) => matches({ id, title: product.title, size })),
      )
    : []
  return (
    <>
      <div className="search">
        <SearchField label="Product name or number" placeholder="Product name or number" query={query} />
      </div>
      {query.trim() && matchingProducts.length === 0 ? (
        <p className="empty">No products match “{query}”. Try another name or number.</p>
      ) : null}
      <ul className="rows">
        {matchingProducts.slice(0, MAX_RESULTS).map((product) => (
          <SearchResult key={product.id} product={product} />
        ))}
      </ul>
      {matchingProducts.length > MAX_RESULTS ? (
        <p className="note">
          More matches: {matchingProducts.length - MAX_RESULTS}. Enter more of the name to find them.
        </p>
      ) : null}
    </>
  )
}

function SearchResult({ product }: { product: Product }) {
  return (
    <li className="row picker-row">
      <span className="product-row__link">
        <img
          className="thumb"
          src={getThumbnailUrl(product.image)}
          alt=""
          width="96"
          height="120"
          loading="lazy"
        />
        <strong>{product.title}</strong>
      </span>
      <div className="actions actions--small">
        {listProductItems(product).map(({ id, size, price }) => {
          const unitsLeft = product.left?.[id]
          const label = [size, formatMoney(kshToCents(price))].filter(Boolean).join(', ')
          return unitsLeft === 0 ? (
            <span key={id} className="note">
              {label}: sold out
            </span>
          ) : (
            <button key={id} className="button button--quiet" type="submit" name="add" value={id}>
              <span>
                {size ? (
                  <span className="visually-hidden">Add {product.title}: </span>
                ) : (
                  <>
                    Add <span className="visually-hidden">{product.title} </span>for{' '}
                  </>
                )}
                {label}
                {unitsLeft === undefined ? null : ` (${unitsLeft} left)`}
              </span>
            </button>
          )
        })}
      </div>
    </li>
  )
}

function PickedList({ catalogue, lines, invalidQtys }: Omit<ItemPickerProps, 'query'>) {
  if (lines.length === 0) return <p className="note">No products yet. Search for one, then add it.</p>
  return (
    <>
      <ul className="rows">
        {lines.map(({ id, title, size, price, qty }) => {
          const name = formatNameWithSize(title, size)
          const unitsLeft = findItem(catalogue, id)?.product.left?.[id]
          return (
            <li className="row row--count" key={id}>
              <div>
                <strong>{name}</strong>
                {unitsLeft !== undefined && unitsLeft < qty ? (
                  <span className="mark mark--due">
                    {unitsLeft > 0 ? `Only ${unitsLeft} left` : 'Sold out'}
                  </span>
                ) : null}
                <span className="note">{formatMoney(kshToCents(price))} each</span>
              </div>
              <div className="count">
                <input
                  name={`qty-${id}`}
                  aria-label={`Quantity of ${name} (0 removes it)`}
                  aria-invalid={invalidQtys.has(id) || undefined}
                  defaultValue={invalidQtys.get(id) ?? qty}
                  inputMode="numeric"
                  autoComplete="off"
                  maxLength={2}
                />
              </div>
            </li>
          )
        })}
      </ul>
      <p>
        <button className="button button--quiet" type="submit">
          Update quantities
        </button>
      </p>
    </>
  )
}
