import type { PricingContext } from '#server/context.ts'
import { UnavailableError } from '#server/platform/db/client.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { findItem, type Item } from '#shared/catalogue/items.ts'
import { formatList } from '#shared/format.ts'

export type ResolvedLine = Item & { qty: number }

/** Uses the catalogue's prices, not the browser's. Throws {@link UnavailableError} if the catalogue can't be loaded. */
export async function resolveLines(
  requested: readonly { id: number; qty: number }[],
  { catalogue }: Pick<PricingContext, 'catalogue'>,
): Promise<Result<readonly ResolvedLine[], ServiceError<'unknown_product'>>> {
  const products = await loadCatalogue(catalogue)
  const unknownIds = requested.map(({ id }) => id).filter((id) => !findItem(products, id))
  if (unknownIds.length > 0) return { ok: false, error: createUnknownProductsError(unknownIds) }
  const lines = requested.flatMap(({ id, qty }) => {
    const item = findItem(products, id)
    return item ? { ...item, qty } : []
  })
  return { ok: true, data: lines }
}

function createUnknownProductsError(productIds: readonly number[]): ServiceError<'unknown_product'> {
  const [subject, pronoun] =
    productIds.length === 1
      ? [`Product ${productIds[0]} is`, 'it']
      : [`Products ${formatList(productIds.map(String))} are`, 'them']
  const message = `${subject} no longer available. Please remove ${pronoun} from your cart and try again.`
  return { code: 'unknown_product', message, details: { productIds } }
}

export async function loadCatalogue(source: PricingContext['catalogue']): Promise<Catalogue> {
  try {
    return await source.load()
  } catch (cause) {
    throw new UnavailableError('The catalogue couldn’t be loaded.', { cause })
  }
}
