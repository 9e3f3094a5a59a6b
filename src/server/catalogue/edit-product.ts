import { orderLines } from '#server/platform/db/schema.ts'
import type { Result } from '#server/platform/result.ts'
import { CENTS, formatMoney } from '#shared/format.ts'
import {
  changeDraft,
  type Draft,
  type DraftChange,
  type DraftDeps,
  type DraftEntry,
  type DraftProduct,
} from './draft.ts'

/**
 * `changed`: somebody else has changed the product since it was shown; `sold`: it can be hidden, not deleted; `overtaken`:
 * others change the draft all the time.
 */
export type EditError = { code: 'unknown_product' | 'changed' | 'sold' | 'overtaken' }

/** A product as it was entered; what is new has no id yet. */
export type EnteredProduct = Omit<DraftProduct, 'id' | 'sizes'> & {
  id?: number
  sizes: readonly (Omit<DraftProduct['sizes'][number], 'id'> & { id?: number })[]
}

type SaveInput = {
  entered: EnteredProduct
  isHidden: boolean
  /** The product's revision when it was shown; of no meaning for a new one. */
  seen: number
  actor: string
}

/** Saves a product of the draft; a new one is put first. Returns it with the ids that its items have been given. */
export async function saveProduct(
  { entered, isHidden, seen, actor }: SaveInput,
  ctx: DraftDeps,
): Promise<Result<DraftProduct, EditError>> {
  const saved = await changeDraft<EditError>(
    {
      actor,
      change(draft) {
        const before = entryOf(draft, entered.id)
        if (entered.id !== undefined && !before) return refused('unknown_product')
        if (before && before.revision !== seen) return refused('changed')
        const { product, nextItemId } = numbered(entered, draft)
        const position = before?.position ?? positionOfFirst(draft) - 1
        const after = { position, isHidden, revision: draft.revision + 1, product }
        const audit = { act: 'catalogue.save', ...differenceOf(before, after) } as const
        return { ok: true, data: { puts: [after], nextItemId, audit } }
      },
    },
    ctx,
  )
  if (!saved.ok) return saved
  const [entry] = saved.data.puts ?? []
  return entry ? { ok: true, data: entry.product } : refused('unknown_product')
}

/** Hides a product from shoppers, or shows it, with the next publish. */
export function setHidden(
  { id, isHidden, actor }: { id: number; isHidden: boolean; actor: string },
  ctx: DraftDeps,
): Promise<Result<DraftChange, EditError>> {
  const change = (draft: Draft): Result<DraftChange, EditError> => {
    const entry = entryOf(draft, id)
    if (!entry) return refused('unknown_product')
    const audit = { act: isHidden ? 'catalogue.hide' : 'catalogue.show', subject: nameOf(entry) } as const
    return { ok: true, data: { puts: [{ ...entry, isHidden, revision: draft.revision + 1 }], audit } }
  }
  return changeDraft({ actor, change }, ctx)
}

/** Moves a product before the one in front of it, behind the next one, or to the front. */
export function moveProduct(
  { id, to, actor }: { id: number; to: 'up' | 'down' | 'first'; actor: string },
  ctx: DraftDeps,
): Promise<Result<DraftChange, EditError>> {
  const change = (draft: Draft): Result<DraftChange, EditError> => {
    const index = draft.entries.findIndex(({ product }) => product.id === id)
    const entry = draft.entries[index]
    if (!entry) return refused('unknown_product')
    const audit = { act: 'catalogue.move', subject: nameOf(entry), to } as const
    if (to === 'first')
      return { ok: true, data: { puts: [{ ...entry, position: positionOfFirst(draft) - 1 }], audit } }
    const other = draft.entries[to === 'up' ? index - 1 : index + 1]
    const puts = other
      ? [
          { ...entry, position: other.position },
          { ...other, position: entry.position },
        ]
      : []
    return { ok: true, data: { puts, audit } }
  }
  return changeDraft({ actor, change }, ctx)
}

/** Deletes a product that nobody has ever ordered. Its ids are not used again. */
export async function deleteProduct(
  { id, actor }: { id: number; actor: string },
  ctx: DraftDeps,
): Promise<Result<DraftChange, EditError>> {
  const change =
    (sold: ReadonlySet<number>) =>
    (draft: Draft): Result<DraftChange, EditError> => {
      const entry = entryOf(draft, id)
      if (!entry) return refused('unknown_product')
      if ([id, ...entry.product.sizes.map((size) => size.id)].some((item) => sold.has(item)))
        return refused('sold')
      return { ok: true, data: { deletes: [id], audit: { act: 'catalogue.delete', subject: nameOf(entry) } } }
    }
  return changeDraft({ actor, change: change(await soldItems(ctx)) }, ctx)
}

/** The ids of all items that were ever ordered. */
async function soldItems({ db }: DraftDeps): Promise<ReadonlySet<number>> {
  const rows = await db.selectDistinct({ id: orderLines.productId }).from(orderLines)
  return new Set(rows.map((row) => row.id))
}

function refused(code: EditError['code']): { ok: false; error: EditError } {
  return { ok: false, error: { code } }
}

function entryOf({ entries }: Draft, id: number | undefined): DraftEntry | undefined {
  return entries.find(({ product }) => product.id === id)
}

function positionOfFirst({ entries: [first] }: Draft): number {
  return first?.position ?? 0
}

/** The product with ids for what is new: the first size has the product's own, every other the next one. */
function numbered(entered: EnteredProduct, draft: Draft): { product: DraftProduct; nextItemId: number } {
  let { nextItemId } = draft
  const next = () => nextItemId++
  const id = entered.id ?? next()
  const sizes = entered.sizes.map((size, index) => ({ ...size, id: size.id ?? (index === 0 ? id : next()) }))
  return { product: { ...entered, id, sizes }, nextItemId }
}

/** As the audit log names a product. */
function nameOf({ product: { id, title } }: DraftEntry): string {
  return `${id} ${title}`
}

/** What a save changed, for the audit log: the price with both values, the other fields by name. */
function differenceOf(before: DraftEntry | undefined, after: DraftEntry) {
  const subject = nameOf(after)
  const price = (entry: DraftEntry) =>
    entry.product.price === null ? 'no price' : formatMoney(entry.product.price * CENTS)
  if (!before) return { subject, to: `new, ${price(after)}` }
  const fields = (Object.keys(after.product) as (keyof DraftProduct)[]).filter(
    (field) =>
      field !== 'price' && JSON.stringify(before.product[field]) !== JSON.stringify(after.product[field]),
  )
  const state = before.isHidden === after.isHidden ? [] : [after.isHidden ? 'hidden' : 'shown']
  const isPriceNew = before.product.price !== after.product.price
  return {
    subject,
    ...(isPriceNew ? { from: price(before) } : {}),
    to: [...(isPriceNew ? [price(after)] : []), ...fields, ...state].join(', ') || 'nothing',
  }
}
