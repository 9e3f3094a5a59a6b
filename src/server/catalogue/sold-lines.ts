import type { ServiceContext } from '#server/context.ts'
import { Unavailable } from '#server/platform/db/client.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { type Item, itemById } from '#shared/catalogue/items.ts'

/** An item as the catalogue has it now, and the quantity ordered. */
export type ResolvedLine = Item & { qty: number }

/**
 * Looks requested lines up in the catalogue: the shop's prices count, not the browser's. `unknown_product` names the
 * products that are no longer sold. Throws {@link Unavailable} when the catalogue cannot be read.
 */
export async function resolveLines(
  requested: readonly { id: number; qty: number }[],
  { catalogue }: ServiceContext,
): Promise<Result<readonly ResolvedLine[], ServiceError<'unknown_product'>>> {
  const products = await loadCatalogue(catalogue)
  const unknownIds = requested.map(({ id }) => id).filter((id) => !itemById(products, id))
  if (unknownIds.length > 0) return { ok: false, error: unknownProducts(unknownIds) }
  const lines = requested.flatMap(({ id, qty }) => {
    const item = itemById(products, id)
    return item ? { ...item, qty } : []
  })
  return { ok: true, data: lines }
}

function unknownProducts(productIds: readonly number[]): ServiceError<'unknown_product'> {
  const named =
    productIds.length === 1 ? `Product ${productIds[0]} is` : `Products ${productIds.join(', ')} are`
  const message = `${named} no longer available. Please remove it from your cart and try again.`
  return { code: 'unknown_product', message, details: { productIds } }
}

async function loadCatalogue(source: ServiceContext['catalogue']): Promise<Catalogue> {
  try {
    return await source.load()
  } catch (cause) {
    throw new Unavailable('The catalogue couldn’t be loaded.', { cause })
  }
}
