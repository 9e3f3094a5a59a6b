import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { type CatalogueEntry, getSalePeriod } from '#shared/catalogue/catalogue-schema.ts'
import { getCatalogueAt, getPriceAt, isOnSale, listSalePeriodTimes } from '#shared/catalogue/sales.ts'
import type { CatalogueFile, CatalogueSource } from './catalogue-source.ts'

/** `catalogue` is `from` with the prices that apply from `sinceMs` until `untilMs`. */
type PricedCatalogue = { from: Catalogue; catalogue: Catalogue; sinceMs: number; untilMs: number }

function priceCatalogue(from: Catalogue, nowMs: number): PricedCatalogue {
  const moments = listSalePeriodTimes(from)
  return {
    from,
    catalogue: getCatalogueAt(from, nowMs),
    sinceMs: moments.findLast((atMs) => atMs <= nowMs) ?? Number.NEGATIVE_INFINITY,
    untilMs: moments.find((atMs) => atMs > nowMs) ?? Number.POSITIVE_INFINITY,
  }
}

function isCurrent({ sinceMs, untilMs }: PricedCatalogue, nowMs: number): boolean {
  return nowMs >= sinceMs && nowMs < untilMs
}

function hasSalePeriods({ sinceMs, untilMs }: PricedCatalogue): boolean {
  return Number.isFinite(sinceMs) || Number.isFinite(untilMs)
}

function getPricedVersion(version: string, { sinceMs }: PricedCatalogue): string {
  return Number.isFinite(sinceMs) ? `${version}@${sinceMs}` : version
}

/** The version is part of the cache keys of pages, so it also changes when a sale starts or ends. */
export function withSalePrices(source: CatalogueSource, clock: () => number): CatalogueSource {
  let latest: PricedCatalogue | undefined

  function priceNow(from: Catalogue): PricedCatalogue {
    const nowMs = clock()
    if (latest?.from !== from || !isCurrent(latest, nowMs)) latest = priceCatalogue(from, nowMs)
    return latest
  }

  return {
    current() {
      const from = source.current()
      return from && priceNow(from).catalogue
    },
    version() {
      const [from, version] = [source.current(), source.version()]
      return from && version ? getPricedVersion(version, priceNow(from)) : version
    },
    load: async () => priceNow(await source.load()).catalogue,
  }
}

/** Returns a function that replaces the prices in `Items.json` with the current ones. */
export function createItemsFilePricer(clock: () => number) {
  let latest:
    | { source: CatalogueFile; priced: PricedCatalogue; file: Pick<CatalogueFile, 'bytes' | 'version'> }
    | undefined

  return (file: CatalogueFile): Pick<CatalogueFile, 'bytes' | 'version'> => {
    const nowMs = clock()
    if (latest?.source === file && isCurrent(latest.priced, nowMs)) return latest.file
    const priced = priceCatalogue(file.catalogue, nowMs)
    latest = {
      source: file,
      priced,
      file: hasSalePeriods(priced) ? createPricedFile(file, priced, nowMs) : file,
    }
    return latest.file
  }
}

function createPricedFile({ bytes, version }: CatalogueFile, priced: PricedCatalogue, nowMs: number) {
  const entries: CatalogueEntry[] = JSON.parse(new TextDecoder().decode(bytes))
  const text = `[\n${entries.map((entry) => JSON.stringify(getEntryAt(entry, nowMs))).join(',\n')}\n]\n`
  return { bytes: new TextEncoder().encode(text), version: getPricedVersion(version, priced) }
}

function getEntryAt(entry: CatalogueEntry, nowMs: number): CatalogueEntry {
  const { saleStartsAt, saleEndsAt, price, compareAtPrice, sizes, ...rest } = entry
  if (!saleStartsAt && !saleEndsAt) return entry
  const period = getSalePeriod({ saleStartsAt, saleEndsAt })
  return {
    ...rest,
    ...getPriceAt({ price, compareAtPrice }, period, nowMs),
    ...(saleEndsAt && isOnSale(period, nowMs) && { saleEndsAt }),
    ...(sizes && {
      sizes: sizes.map(({ id, label, price, compareAtPrice }) => ({
        id,
        label,
        ...(price !== undefined && getPriceAt({ price, compareAtPrice }, period, nowMs)),
      })),
    }),
  }
}
