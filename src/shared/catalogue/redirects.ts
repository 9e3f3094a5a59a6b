import type { Catalogue } from './catalogue.ts'
import { findItem } from './items.ts'

/** Maps an item's id to the product that replaces it. If that product is hidden too, its own redirect applies. */
export type Redirects = ReadonlyMap<number, number>

const MAX_HOPS = 5

export function parseRedirects(stored: unknown): Redirects {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return new Map()
  const entries = Object.entries(stored).map(([from, to]) => [Number(from), Number(to)] as const)
  return new Map(entries.filter((ids) => ids.every((id) => Number.isSafeInteger(id) && id > 0)))
}

export function findRedirectTarget(
  redirects: Redirects,
  catalogue: Catalogue,
  id: number,
): number | undefined {
  if (findItem(catalogue, id)) return undefined
  let target = redirects.get(id)
  for (let hop = 0; hop < MAX_HOPS && target !== undefined; hop++) {
    if (findItem(catalogue, target)) return target
    target = redirects.get(target)
  }
  return undefined
}
