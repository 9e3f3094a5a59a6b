import { orderLines } from '#server/platform/db/schema.ts'
import type { Result } from '#server/platform/result.ts'
import { formatMoney, kshToCents } from '#shared/format.ts'
import type { Actor } from '#shared/team/roles.ts'
import {
  changeDraft,
  createItemIdSequence,
  type Draft,
  type DraftChange,
  type DraftContext,
  type DraftEntry,
  type DraftProduct,
} from './draft.ts'
import { createRedirectChange } from './draft-redirects.ts'

/**
 * `changed`: the product has changed since the form was opened. `sold`: the product was ordered, so it can only be
 * hidden. `redirect`: the target isn't another visible product.
 */
export type EditProductError = { code: 'unknown_product' | 'changed' | 'sold' | 'conflict' | 'redirect' }

export type ProductInput = Omit<DraftProduct, 'id' | 'sizes'> & {
  id?: number
  sizes: readonly (Omit<DraftProduct['sizes'][number], 'id'> & { id?: number })[]
}

type SaveProductInput = {
  entered: ProductInput
  isHidden: boolean
  redirectTo?: number | null
  expectedRevision: number
  actor: Actor
}

/** Puts a new product first in the list. Returns the product with its assigned ids. */
export async function saveProduct(
  { entered, isHidden, redirectTo = null, expectedRevision, actor }: SaveProductInput,
  ctx: DraftContext,
): Promise<Result<DraftProduct, EditProductError>> {
  const saved = await changeDraft<EditProductError>(
    {
      actor,
      change(draft) {
        const before = findEntry(draft, entered.id)
        if (entered.id !== undefined && !before) return createEditError('unknown_product')
        if (before && before.revision !== expectedRevision) return createEditError('changed')
        const { product, nextItemId } = assignIds(entered, draft)
        const to = isHidden ? redirectTo : null
        const target = to === null ? undefined : findEntry(draft, to)
        if (to !== null && (!target || target.isHidden || to === product.id))
          return createEditError('redirect')
        const position = before?.position ?? getFirstPosition(draft) - 1
        const after = { position, isHidden, revision: draft.revision + 1, product }
        const audit = { action: 'catalogue.save', ...describeAuditChange(before, after) } as const
        return {
          ok: true,
          data: { upserts: [after], nextItemId, ...createRedirectChange(draft, product, to), audit },
        }
      },
    },
    ctx,
  )
  if (!saved.ok) return saved
  const [entry] = saved.data.upserts ?? []
  return entry ? { ok: true, data: entry.product } : createEditError('unknown_product')
}

export function setProductHidden(
  { id, isHidden, actor }: { id: number; isHidden: boolean; actor: Actor },
  ctx: DraftContext,
): Promise<Result<DraftChange, EditProductError>> {
  const change = (draft: Draft): Result<DraftChange, EditProductError> => {
    const entry = findEntry(draft, id)
    if (!entry) return createEditError('unknown_product')
    const audit = {
      action: isHidden ? 'catalogue.hide' : 'catalogue.show',
      subject: formatAuditSubject(entry),
    } as const
    return { ok: true, data: { upserts: [{ ...entry, isHidden, revision: draft.revision + 1 }], audit } }
  }
  return changeDraft({ actor, change }, ctx)
}

export function moveProduct(
  { id, to, actor }: { id: number; to: 'up' | 'down' | 'first'; actor: Actor },
  ctx: DraftContext,
): Promise<Result<DraftChange, EditProductError>> {
  const change = (draft: Draft): Result<DraftChange, EditProductError> => {
    const index = draft.entries.findIndex(({ product }) => product.id === id)
    const entry = draft.entries[index]
    if (!entry) return createEditError('unknown_product')
    const audit = { action: 'catalogue.move', subject: formatAuditSubject(entry), to } as const
    if (to === 'first')
      return { ok: true, data: { upserts: [{ ...entry, position: getFirstPosition(draft) - 1 }], audit } }
    const other = draft.entries[to === 'up' ? index - 1 : index + 1]
    const upserts = other
      ? [
          { ...entry, position: other.position },
          { ...other, position: entry.position },
        ]
      : []
    return { ok: true, data: { upserts, audit } }
  }
  return changeDraft({ actor, change }, ctx)
}

export async function deleteProduct(
  { id, actor }: { id: number; actor: Actor },
  ctx: DraftContext,
): Promise<Result<DraftChange, EditProductError>> {
  const change =
    (sold: ReadonlySet<number>) =>
    (draft: Draft): Result<DraftChange, EditProductError> => {
      const entry = findEntry(draft, id)
      if (!entry) return createEditError('unknown_product')
      if ([id, ...entry.product.sizes.map((size) => size.id)].some((item) => sold.has(item)))
        return createEditError('sold')
      return {
        ok: true,
        data: { deletes: [id], audit: { action: 'catalogue.delete', subject: formatAuditSubject(entry) } },
      }
    }
  return changeDraft({ actor, change: change(await readSoldItemIds(ctx)) }, ctx)
}

async function readSoldItemIds({ db }: DraftContext): Promise<ReadonlySet<number>> {
  const rows = await db.selectDistinct({ id: orderLines.productId }).from(orderLines)
  return new Set(rows.map((row) => row.id))
}

function createEditError(code: EditProductError['code']): { ok: false; error: EditProductError } {
  return { ok: false, error: { code } }
}

function findEntry({ entries }: Draft, id: number | undefined): DraftEntry | undefined {
  return entries.find(({ product }) => product.id === id)
}

function getFirstPosition({ entries: [first] }: Draft): number {
  return first?.position ?? 0
}

function assignIds(entered: ProductInput, draft: Draft): { product: DraftProduct; nextItemId: number } {
  const ids = createItemIdSequence(draft)
  const id = entered.id ?? ids.next()
  const sizes = entered.sizes.map((size, index) => ({
    ...size,
    id: size.id ?? (index === 0 ? id : ids.next()),
  }))
  return { product: { ...entered, id, sizes }, nextItemId: ids.peek() }
}

function formatAuditSubject({ product: { id, title } }: DraftEntry): string {
  return `${id} ${title}`
}

const FIELD_NAMES: Partial<Record<keyof DraftProduct, string>> = {
  title: 'name',
  images: 'photos',
  rate: 'rating',
  scale: 'size type',
}

function describeAuditChange(before: DraftEntry | undefined, after: DraftEntry) {
  const subject = formatAuditSubject(after)
  const formatPrice = (entry: DraftEntry) =>
    entry.product.price === null ? 'no price' : formatMoney(kshToCents(entry.product.price))
  if (!before) return { subject, to: `new, ${formatPrice(after)}` }
  const fields = (Object.keys(after.product) as (keyof DraftProduct)[]).filter(
    (field) =>
      field !== 'price' && JSON.stringify(before.product[field]) !== JSON.stringify(after.product[field]),
  )
  const state = before.isHidden === after.isHidden ? [] : [after.isHidden ? 'hidden' : 'visible']
  const isPriceNew = before.product.price !== after.product.price
  return {
    subject,
    ...(isPriceNew ? { from: formatPrice(before) } : {}),
    to:
      [
        ...(isPriceNew ? [formatPrice(after)] : []),
        ...fields.map((field) => FIELD_NAMES[field] ?? field),
        ...state,
      ].join(', ') || 'no changes',
  }
}
