import type { Catalogue, Product } from './catalogue.ts'
import type { Sort } from './search-query.ts'

/**
 * The products that hold every word of a query in title, description or category, in any order; case and accents
 * do not count, nor does an "s" at a word's end. Without words: all.
 */
export function matching(catalogue: Catalogue, query: string): Catalogue {
  const words = folded(query).split(' ').filter(Boolean).map(withoutPlural)
  if (words.length === 0) return catalogue
  return catalogue.filter((product) => {
    const text = searchText(product)
    return words.every((word) => text.includes(word))
  })
}

/** The products in the chosen order; among equal prices the catalogue's own stays. */
export function sorted(catalogue: Catalogue, sort: Sort): Catalogue {
  if (sort === '') return catalogue
  const sign = sort === 'price-asc' ? 1 : -1
  return catalogue.toSorted((one, other) => sign * (one.price - other.price))
}

const texts = new WeakMap<Product, string>()

/** What a product is searched in, made once for each. */
function searchText(product: Product): string {
  const known = texts.get(product)
  if (known !== undefined) return known
  const text = folded(`${product.title} ${product.category} ${product.description}`)
  texts.set(product, text)
  return text
}

function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[’‘]/g, "'")
    .toLowerCase()
}

function withoutPlural(word: string): string {
  return word.length > 3 ? word.replace(/s$/, '') : word
}
