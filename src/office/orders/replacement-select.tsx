import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { getItemName } from '#shared/catalogue/item-names.ts'
import { findItem, type Item, listProductItems } from '#shared/catalogue/items.ts'
import { formatMoney, formatNameWithSize, kshToCents } from '#shared/format.ts'

const LIST_ID = 'replacements'

type ReplacementSelectProps = {
  id: string
  index: number
  line: { productId: number; title: string; size: string | null }
  catalogue: Catalogue
  selected: string | undefined
  other: string | undefined
}

/** Selects the replacement in an exchange: another size of the product, or an item from {@link ReplacementList}. */
export function ReplacementSelect({ id, index, line, catalogue, selected, other }: ReplacementSelectProps) {
  const product = findItem(catalogue, line.productId)?.product
  const sizes = product
    ? listProductItems(product).filter((item) => item.id !== line.productId && isInStock(item))
    : []
  const requested = selected ? findItem(catalogue, Number(selected)) : undefined
  const requestedOther = requested && requested.product !== product ? formatListedItem(requested) : undefined
  const name = formatNameWithSize(line.title, line.size)
  return (
    <>
      {sizes.length > 0 ? (
        <div className="field">
          <label htmlFor={id}>Exchange {name} for</label>
          <select id={id} name={`for-${index}`} defaultValue={selected ?? ''}>
            <option value="">Choose a size</option>
            {sizes.map((item) => (
              <option key={item.id} value={item.id}>
                {item.size}, {formatMoney(kshToCents(item.price))}
              </option>
            ))}
          </select>
        </div>
      ) : null}
      <div className="field">
        <label htmlFor={`${id}-other`}>
          {sizes.length > 0 ? `Or exchange ${name} for another item` : `Exchange ${name} for`}
        </label>
        <input
          id={`${id}-other`}
          name={`other-${index}`}
          list={LIST_ID}
          autoComplete="off"
          placeholder="Enter a name or number"
          defaultValue={other ?? requestedOther}
        />
      </div>
    </>
  )
}

/**
 * Lists the items in stock for every {@link ReplacementSelect}. Render it once per page, because the catalogue can have
 * thousands of items.
 */
export function ReplacementList({ catalogue }: { catalogue: Catalogue }) {
  return (
    <datalist id={LIST_ID}>
      {catalogue.flatMap((product) =>
        listProductItems(product)
          .filter(isInStock)
          .map((item) => (
            <option key={item.id} value={formatListedItem(item)}>
              {formatMoney(kshToCents(item.price))}
            </option>
          )),
      )}
    </datalist>
  )
}

export function formatListedItem(item: Item): string {
  return `${item.id} ${getItemName(item)}`
}

function isInStock({ id, product }: Item): boolean {
  return product.left?.[id] !== 0
}
