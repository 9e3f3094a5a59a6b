import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { findItem } from '#shared/catalogue/items.ts'
import { formatNameWithSize } from '#shared/format.ts'

export function formatItemName(id: number, catalogue: Catalogue): string {
  const item = findItem(catalogue, id)
  return item ? formatNameWithSize(item.product.title, item.size) : `Item ${id}`
}

/**
 * Returns a function that finds items whose name, size and number contain every word of the query. Keyboards have no
 * en dash, so `3-6` finds the size `3–6 months`.
 */
export function createItemMatcher(
  query: string,
): (item: { id: number; title: string; size?: string | null | undefined }) => boolean {
  const words = normaliseDashes(query.toLowerCase()).split(/\s+/)
  return ({ id, title, size }) => {
    const text = normaliseDashes(`${formatNameWithSize(title, size)} ${id}`.toLowerCase())
    return words.every((word) => text.includes(word))
  }
}

function normaliseDashes(text: string): string {
  return text.replaceAll('–', '-')
}
