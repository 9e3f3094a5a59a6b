import type { Result } from '#server/platform/result.ts'
import { changePrice, type PriceChange } from '#shared/catalogue/bulk-prices.ts'
import type { Actor } from '#shared/team/roles.ts'
import { changeDraft, type DraftContext, type DraftEntry, type DraftProduct } from './draft.ts'

export type BulkEdit = { price: PriceChange } | { category: string } | { isHidden: boolean }

export type BulkOutcome = {
  changed: number
  /** The number of products without a price, or whose new price would be invalid or not above the sale price. */
  unchangeable: number
}

type BulkEditInput = {
  select: (entries: readonly DraftEntry[]) => readonly DraftEntry[]
  /** The number of products selected when the page was loaded. The edit fails if the number has changed. */
  expectedCount: number
  edit: BulkEdit
  summary: string
  actor: Actor
}

type BulkEditError = { code: 'selection_changed' | 'conflict' }

export async function editProducts(
  { select, expectedCount, edit, summary, actor }: BulkEditInput,
  ctx: DraftContext,
): Promise<Result<BulkOutcome, BulkEditError>> {
  let outcome: BulkOutcome = { changed: 0, unchangeable: 0 }
  const result = await changeDraft<BulkEditError>(
    {
      actor,
      change(draft) {
        const selected = select(draft.entries)
        if (selected.length !== expectedCount) return { ok: false, error: { code: 'selection_changed' } }
        const editedEntries = selected.map((entry) => ({ entry, after: editEntry(entry, edit) }))
        const upserts = editedEntries.flatMap(({ entry, after }) =>
          after && after !== entry ? { ...after, revision: draft.revision + 1 } : [],
        )
        outcome = {
          changed: upserts.length,
          unchangeable: editedEntries.filter(({ after }) => !after).length,
        }
        const audit = {
          action: 'catalogue.bulk',
          subject: 'draft',
          to: `${upserts.length} ${upserts.length === 1 ? 'product' : 'products'}: ${summary}`,
        } as const
        return { ok: true, data: { upserts, audit } }
      },
    },
    ctx,
  )
  return result.ok ? { ok: true, data: outcome } : result
}

/** Returns the same object if the visibility or category stays the same, and undefined if the prices can't change. */
function editEntry(entry: DraftEntry, edit: BulkEdit): DraftEntry | undefined {
  if ('isHidden' in edit)
    return entry.isHidden === edit.isHidden ? entry : { ...entry, isHidden: edit.isHidden }
  if ('category' in edit)
    return entry.product.category === edit.category
      ? entry
      : { ...entry, product: { ...entry.product, category: edit.category } }
  const product = changePrices(entry.product, edit.price)
  return product && { ...entry, product }
}

function changePrices(product: DraftProduct, change: PriceChange): DraftProduct | undefined {
  const price = product.price === null ? undefined : changePrice(product.price, change)
  const sizes = product.sizes.map((size) => ({
    ...size,
    price: size.price === null ? null : (changePrice(size.price, change) ?? Number.NaN),
  }))
  if (price === undefined || sizes.some((size) => Number.isNaN(size.price))) return undefined
  const isAbove = (regular: number, salePrice: number | null) => salePrice === null || regular > salePrice
  const isValid =
    isAbove(price, product.salePrice) && sizes.every((size) => isAbove(size.price ?? price, size.salePrice))
  return isValid ? { ...product, price, sizes } : undefined
}
