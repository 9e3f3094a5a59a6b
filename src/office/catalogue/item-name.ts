import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { findItem } from '#shared/catalogue/items.ts'
import { formatNameWithSize } from '#shared/format.ts'

export function formatItemName(id: number, catalogue: Catalogue): string {
  const item = findItem(catalogue, id)
  return item ? formatNameWithSize(item.product.title, item.size) : `Item ${id}`
}
