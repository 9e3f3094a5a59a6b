import {
  type DraftEntry,
  type DraftPrices,
  type DraftProduct,
  getSizePrices,
} from '#server/catalogue/draft.ts'
import type { SizeScale } from '#shared/catalogue/catalogue.ts'
import type { ImportedPrices, ImportedProduct, ImportedSize } from './imported-product.ts'
import type { LineProblem } from './table.ts'
import { inferScale } from './values.ts'

type DraftSize = DraftProduct['sizes'][number]

export function mergeProduct(
  imported: ImportedProduct,
  before: DraftEntry | undefined,
  nextId: () => number,
): { product: DraftProduct; isHidden: boolean } | LineProblem {
  const old = before?.product
  const id = old?.id ?? nextId()
  const oldPrices = { price: old?.price ?? null, salePrice: old?.salePrice ?? null }
  const prices = { ...oldPrices, ...imported.prices }
  const sizes = mergeSizes(imported, { id, prices, oldPrices, old: old?.sizes ?? [], nextId })
  if ('problem' in sizes) return sizes
  const scale = mergeScale(imported, old?.scale ?? null, sizes.all)
  if (scale === undefined)
    return {
      line: imported.line,
      problem: `The sizes ${quoteLabels(sizes.all)} have no size type`,
      fix: 'Add the product in the office and choose a size type there.',
    }
  return {
    isHidden: imported.isHidden ?? before?.isHidden ?? false,
    product: {
      id,
      title: imported.title ?? old?.title ?? '',
      description: imported.description ?? old?.description ?? '',
      ...prices,
      saleStartsAt: imported.saleStartsAt === undefined ? (old?.saleStartsAt ?? null) : imported.saleStartsAt,
      saleEndsAt: imported.saleEndsAt === undefined ? (old?.saleEndsAt ?? null) : imported.saleEndsAt,
      images: [...(imported.images ?? old?.images ?? [])],
      category: imported.category ?? old?.category ?? '',
      rate: imported.rate === undefined ? (old?.rate ?? null) : imported.rate,
      scale,
      sizes: sizes.all,
    },
  }
}

type SizeContext = {
  id: number
  prices: DraftPrices
  oldPrices: DraftPrices
  old: readonly DraftSize[]
  nextId: () => number
}

function mergeSizes(
  { line, sizes, itemPrices }: ImportedProduct,
  { id, prices, oldPrices, old, nextId }: SizeContext,
): { all: DraftSize[] } | LineProblem {
  const mergePrices = (before: DraftSize | undefined, imported: ImportedPrices) => {
    const effective = before ? getSizePrices(before, oldPrices) : prices
    return toOwnPrices({ ...effective, ...imported }, prices)
  }
  if (!sizes) {
    const all = old.map((size) => {
      const newPrices = itemPrices?.get(size.id)
      return newPrices ? { ...size, ...mergePrices(size, newPrices) } : size
    })
    return { all }
  }
  const known = sizes.map((size) => ({ size, before: findSize(size, old) }))
  const unknown = known.find(({ size, before }) => size.id !== undefined && !before && size.id !== id)
  if (unknown)
    return {
      line: unknown.size.line,
      problem: `Item ${unknown.size.id} isn’t a size of this product`,
      fix: 'Leave Item empty for a new size.',
    }
  const isFirstMissing = old.length > 0 && sizes.length > 0 && !known.some(({ before }) => before?.id === id)
  if (isFirstMissing)
    return {
      line,
      problem: `The size “${old[0]?.label}” is missing`,
      fix: 'Keep the product’s first size in the file, or hide the product and add a new one.',
    }
  const first = old.length > 0 ? known.find(({ before }) => before?.id === id) : known[0]
  const ordered = first ? [first, ...known.filter((other) => other !== first)] : known
  const merged = ordered.map(
    ({ size, before }, index): DraftSize => ({
      id: before?.id ?? (index === 0 ? id : nextId()),
      label: size.label,
      ...mergePrices(before, size.prices),
      isHidden: false,
    }),
  )
  const keptIds = new Set(merged.map((size) => size.id))
  const hidden = old.filter((size) => !keptIds.has(size.id)).map((size) => ({ ...size, isHidden: true }))
  return { all: [...merged, ...hidden] }
}

function findSize({ id, label }: ImportedSize, old: readonly DraftSize[]): DraftSize | undefined {
  if (id !== undefined) return old.find((size) => size.id === id)
  return old.find((size) => size.label.toLowerCase() === label.toLowerCase())
}

function toOwnPrices(own: DraftPrices, product: DraftPrices): DraftPrices {
  const isSame = own.price === product.price && own.salePrice === product.salePrice
  return isSame ? { price: null, salePrice: null } : own
}

function mergeScale(
  { sizes, scale }: ImportedProduct,
  old: SizeScale | null,
  all: readonly DraftSize[],
): SizeScale | null | undefined {
  if (scale !== undefined) return scale
  if (!sizes) return old
  if (sizes.length === 0) return null
  return old ?? inferScale(all.filter(({ isHidden }) => !isHidden).map(({ label }) => label))
}

const MAX_QUOTED_LABELS = 4

function quoteLabels(sizes: readonly DraftSize[]): string {
  const labels = sizes.slice(0, MAX_QUOTED_LABELS).map(({ label }) => `“${label.slice(0, 40)}”`)
  return labels.join(', ') + (sizes.length > MAX_QUOTED_LABELS ? '…' : '')
}
