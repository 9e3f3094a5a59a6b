import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { itemById, productItems } from '#shared/catalogue/items.ts'
import { CENTS, formatMoney, nameWithSize } from '#shared/format.ts'

type ReplacementSelectProps = {
  id: string
  index: number
  line: { productId: number; title: string; size: string | null }
  catalogue: Catalogue
  selected: string | undefined
}

/** What an exchange gives instead: the other sizes of the product first, then everything in stock. */
export function ReplacementSelect({ id, index, line, catalogue, selected }: ReplacementSelectProps) {
  const own = itemById(catalogue, line.productId)?.product
  const products = own ? [own, ...catalogue.filter((product) => product !== own)] : catalogue
  return (
    <div className="field">
      <label htmlFor={id}>Exchange {nameWithSize(line.title, line.size)} for</label>
      <select id={id} name={`for-${index}`} defaultValue={selected ?? ''}>
        <option value="">Choose an item</option>
        {products.map((product) => (
          <optgroup key={product.id} label={product.title}>
            {productItems(product)
              .filter((item) => item.id !== line.productId && product.left?.[item.id] !== 0)
              .map((item) => (
                <option key={item.id} value={item.id}>
                  {nameWithSize(product.title, item.size)}, {formatMoney(item.price * CENTS)}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </div>
  )
}
