import type { Catalogue, Product, SalePeriod } from './catalogue.ts'

/** `price` is the price charged. `compareAtPrice` is the regular price, which is set during a sale only. */
export type Prices = { price: number; compareAtPrice?: number }

export function isOnSale({ startsAtMs, endsAtMs }: SalePeriod, nowMs: number): boolean {
  return nowMs >= (startsAtMs ?? Number.NEGATIVE_INFINITY) && nowMs < (endsAtMs ?? Number.POSITIVE_INFINITY)
}

export function getPriceAt(
  { price, compareAtPrice }: { price: number; compareAtPrice?: number | undefined },
  period: SalePeriod,
  nowMs: number,
): Prices {
  if (compareAtPrice === undefined) return { price }
  return isOnSale(period, nowMs) ? { price, compareAtPrice } : { price: compareAtPrice }
}

export function getCatalogueAt(catalogue: Catalogue, nowMs: number): Catalogue {
  if (!catalogue.some(({ sale }) => sale)) return catalogue
  return catalogue.map((product) => getProductAt(product, nowMs))
}

function getProductAt(product: Product, nowMs: number): Product {
  const { sale } = product
  if (!sale || isOnSale(sale, nowMs)) return product
  const { sale: _, compareAtPrice: __, sizing, ...rest } = product
  return {
    ...rest,
    ...getPriceAt(product, sale, nowMs),
    ...(sizing && {
      sizing: {
        ...sizing,
        sizes: sizing.sizes.map(({ id, label, ...prices }) => ({
          id,
          label,
          ...getPriceAt(prices, sale, nowMs),
        })),
      },
    }),
  }
}

export function listSalePeriodTimes(catalogue: Catalogue): number[] {
  const moments = catalogue.flatMap(({ sale }) => [sale?.startsAtMs ?? [], sale?.endsAtMs ?? []].flat())
  return [...new Set(moments)].toSorted((a, b) => a - b)
}
