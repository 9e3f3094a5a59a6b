import type { Catalogue, Product } from '#shared/rules/catalogue.ts'
import { Unavailable } from '../../db/failure.ts'
import type { Deps } from '../../deps.ts'

/** A product of the catalogue, and how many of it are wanted. */
export type SoldLine = Product & { qty: number }

/** What the wanted ids are in the catalogue now; or the ids that it does not have. */
export type SoldLines = { lines: readonly SoldLine[] } | { unknownIds: readonly number[] }

/** Looks wanted lines up in the catalogue: the shop's prices, never the browser's. Throws {@link Unavailable}. */
export async function soldLines(
  wanted: readonly { id: number; qty: number }[],
  { catalogue }: Pick<Deps, 'catalogue'>,
): Promise<SoldLines> {
  const products = await catalogueOf(catalogue)
  const byId = new Map(products.map((product) => [product.id, product]))
  const unknownIds = wanted.map(({ id }) => id).filter((id) => !byId.has(id))
  if (unknownIds.length > 0) return { unknownIds }
  return {
    lines: wanted.flatMap(({ id, qty }) => {
      const product = byId.get(id)
      return product ? { ...product, qty } : []
    }),
  }
}

async function catalogueOf(source: Deps['catalogue']): Promise<Catalogue> {
  try {
    return await source.load()
  } catch (cause) {
    throw new Unavailable('The catalogue cannot be read.', { cause })
  }
}
