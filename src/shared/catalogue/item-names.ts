import { formatNameWithSize } from '#shared/format.ts'
import type { Catalogue } from './catalogue.ts'
import { type Item, listProductItems } from './items.ts'

/**
 * `name` is a title with a size, such as `Kikoi Wrap Dress, M`, or words that only one item's name contains. Ignores case.
 */
export function findItemByName(catalogue: Catalogue, name: string): Item | undefined {
  const matches = listItemsByWords(catalogue, name)
  const exact = matches.find((item) => getItemName(item).toLowerCase() === name.toLowerCase())
  return exact ?? (matches.length === 1 ? matches[0] : undefined)
}

/** Returns the items whose names contain each of these words or parts of words. */
export function listItemsByWords(catalogue: Catalogue, text: string): Item[] {
  const words = text.toLowerCase().split(/\s+/)
  return catalogue.flatMap(listProductItems).filter((item) => {
    const name = getItemName(item).toLowerCase()
    return words.every((word) => name.includes(word))
  })
}

export function getItemName({ product, size }: Item): string {
  return formatNameWithSize(product.title, size)
}
