import { and, asc, eq, exists, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { CatalogueContext, DataContext } from '#server/context.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { type AuditEntry, commitAudited } from '#server/platform/db/audit.ts'
import type { Statements } from '#server/platform/db/client.ts'
import { failUnless, getGuardViolation } from '#server/platform/db/guards.ts'
import { catalogueDraft, draftContent, draftProducts, orderLines, stock } from '#server/platform/db/schema.ts'
import type { Result } from '#server/platform/result.ts'
import { SIZE_SCALES } from '#shared/catalogue/catalogue.ts'
import { MAX_ITEM_ID } from '#shared/catalogue/catalogue-issues.ts'
import type { CatalogueEntry } from '#shared/catalogue/catalogue-schema.ts'
import type { Actor } from '#shared/team/roles.ts'
import type { Assets } from './catalogue-source.ts'
import { readPublishedCatalogue } from './catalogue-versions.ts'

const draftSizeSchema = z.object({
  id: z.int(),
  label: z.string(),
  price: z.nullable(z.number()),
  salePrice: z._default(z.nullable(z.number()), null),
  isHidden: z.boolean(),
})

const draftProductSchema = z.object({
  id: z.int(),
  title: z.string(),
  description: z.string(),
  /** The regular price in KSH, also during a sale. */
  price: z.nullable(z.number()),
  salePrice: z._default(z.nullable(z.number()), null),
  /** An ISO date and time, like `saleEndsAt`. The period also applies to the sale prices of the sizes. */
  saleStartsAt: z._default(z.nullable(z.string()), null),
  saleEndsAt: z._default(z.nullable(z.string()), null),
  images: z.array(z.object({ image: z.string(), alt: z.string() })),
  category: z.string(),
  rate: z.nullable(z.number()),
  scale: z.nullable(z.enum(SIZE_SCALES)),
  sizes: z.array(draftSizeSchema),
})
export type DraftProduct = z.infer<typeof draftProductSchema>
export type DraftPrices = Pick<DraftProduct, 'price' | 'salePrice'>

export function getSizePrices(size: DraftPrices, product: DraftPrices): DraftPrices {
  if (size.price === null && size.salePrice === null) return product
  return { price: size.price ?? product.price, salePrice: size.salePrice }
}

/** `revision` is the draft revision in which the product last changed, apart from its position. */
export type DraftEntry = { position: number; isHidden: boolean; revision: number; product: DraftProduct }

export type Draft = {
  revision: number
  publishedRevision: number
  nextItemId: number
  entries: readonly DraftEntry[]
  content: readonly DraftContent[]
  /**
   * The ids of stored products that can't be parsed. Importing an `Items.json` file or discarding the draft removes
   * these products.
   */
  unreadableIds: readonly number[]
}

/** A value that replaces the default. `value` is JSON. */
export type DraftContent = { name: string; revision: number; value: string }

export type DraftContext = OwnerContext<CatalogueContext & { shop: Assets }>

const DRAFT_ID = 1

/** The first call creates the draft from the published catalogue. */
export async function readDraft(ctx: DraftContext): Promise<Draft> {
  const draft = await readStoredDraft(ctx)
  if (draft) return draft
  const published = await readPublishedCatalogue(ctx)
  const fileProducts: CatalogueEntry[] = JSON.parse(published.items)
  const entries = fileProducts.map((product, index) => ({
    position: index,
    isHidden: false,
    revision: 1,
    product: toDraftProduct(product),
  }))
  const { db } = ctx
  const nextItemId = sql<number>`1 + max(${getHighestId(entries)},
    (select coalesce(max(${orderLines.productId}), 0) from ${orderLines}),
    (select coalesce(max(${stock.itemId}), 0) from ${stock}))`
  await db.batch([
    db
      .insert(catalogueDraft)
      .values({ id: DRAFT_ID, revision: 1, publishedRevision: 1, nextItemId })
      .onConflictDoNothing(),
    ...upsertProductsStatements(entries, ctx).map((put) => put.onConflictDoNothing()),
    ...toContentEntries(published.content).map((entry) =>
      upsertContentStatement({ ...entry, revision: 1 }, ctx),
    ),
  ])
  return readDraft(ctx)
}

export async function readStoredDraft({ db }: DataContext): Promise<Draft | undefined> {
  const [[row], rows, content] = await db.batch([
    db.select().from(catalogueDraft),
    db.select().from(draftProducts).orderBy(asc(draftProducts.position), asc(draftProducts.id)),
    db.select().from(draftContent).orderBy(asc(draftContent.name)),
  ])
  if (!row) return undefined
  const parsed = rows.map(({ product, ...entry }) => ({
    ...entry,
    product: draftProductSchema.safeParse(JSON.parse(product)).data,
  }))
  const entries = parsed.flatMap(({ product, ...entry }) => (product ? { ...entry, product } : []))
  const unreadableIds = parsed.flatMap(({ id, product }) => (product ? [] : id))
  return { ...row, entries, content, unreadableIds }
}

export type DraftChange = {
  upserts?: readonly DraftEntry[]
  deletes?: readonly number[]
  /** A null value restores the default. */
  content?: readonly { name: string; value: string | null }[]
  /** Whether to delete the content values that `content` doesn't name. */
  replacesContent?: boolean
  nextItemId?: number
  audit: Omit<AuditEntry, 'actor'>
}

const MAX_ATTEMPTS = 3

/**
 * If someone else changes the draft at the same time, calls `change` again. Fails with `conflict` after `MAX_ATTEMPTS`.
 */
export async function changeDraft<ChangeError extends { code: string }>(
  { actor, change }: { actor: Actor; change: (draft: Draft) => Result<DraftChange, ChangeError> },
  ctx: DraftContext,
): Promise<Result<DraftChange, ChangeError | { code: 'conflict' }>> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const draft = await readDraft(ctx)
    const changed = change(draft)
    if (!changed.ok) return changed
    const statements = changeDraftStatements(draft, changed.data, ctx)
    try {
      await commitAudited({ statements, audit: { actor, ...changed.data.audit } }, ctx)
      return changed
    } catch (error) {
      if (getGuardViolation(error)?.guard !== 'draftChanged') throw error
    }
  }
  return { ok: false, error: { code: 'conflict' } }
}

/** The batch fails with `draftChanged` if the draft's revision has changed. */
export function changeDraftStatements(
  { revision }: Pick<Draft, 'revision'>,
  {
    upserts = [],
    deletes = [],
    content = [],
    replacesContent = false,
    nextItemId,
  }: Omit<DraftChange, 'audit'>,
  ctx: DataContext,
  isPublished = false,
): Statements {
  const { db } = ctx
  const byRevision = and(eq(catalogueDraft.id, DRAFT_ID), eq(catalogueDraft.revision, revision))
  const current = db.select({ id: catalogueDraft.id }).from(catalogueDraft).where(byRevision)
  return [
    failUnless(exists(current), 'draftChanged', ctx),
    db
      .update(catalogueDraft)
      .set({
        revision: revision + 1,
        ...(isPublished ? { publishedRevision: revision + 1 } : {}),
        ...(nextItemId === undefined ? {} : { nextItemId }),
      })
      .where(eq(catalogueDraft.id, DRAFT_ID)),
    ...upsertProductsStatements(upserts, ctx).map((put) =>
      put.onConflictDoUpdate({
        target: draftProducts.id,
        set: {
          position: sql`excluded.position`,
          isHidden: sql`excluded.is_hidden`,
          revision: sql`excluded.revision`,
          product: sql`excluded.product`,
        },
      }),
    ),
    ...(deletes.length > 0
      ? [
          db
            .delete(draftProducts)
            .where(sql`${draftProducts.id} in (select value from json_each(${JSON.stringify(deletes)}))`),
        ]
      : []),
    ...(replacesContent ? [db.delete(draftContent)] : []),
    ...content.map(({ name, value }) =>
      value === null
        ? db.delete(draftContent).where(eq(draftContent.name, name))
        : upsertContentStatement({ name, value, revision: revision + 1 }, ctx),
    ),
  ]
}

export function markPublishedStatement({ revision }: Pick<Draft, 'revision'>, { db }: DataContext) {
  return db.update(catalogueDraft).set({ publishedRevision: revision }).where(eq(catalogueDraft.id, DRAFT_ID))
}

/**
 * D1 allows 2 MB per parameter. A UTF-16 code unit takes at most three bytes, and the nested JSON's quotation marks are
 * escaped.
 */
const MAX_STATEMENT_CHARACTERS = 300_000

function upsertProductsStatements(entries: readonly DraftEntry[], { db }: DataContext) {
  const chunks: (string | number)[][][] = []
  let room = 0
  for (const { position, isHidden, revision, product } of entries) {
    const json = JSON.stringify(product)
    room -= json.length
    if (room < 0) {
      chunks.push([])
      room = MAX_STATEMENT_CHARACTERS - json.length
    }
    chunks.at(-1)?.push([product.id, position, Number(isHidden), revision, json])
  }
  return chunks.map((rows) => {
    const value = (index: number) => sql.raw(`value ->> ${index}`)
    // Without `where true`, SQLite would parse the ON of ON CONFLICT as a join condition.
    return db
      .insert(draftProducts)
      .select(
        sql`select ${value(0)}, ${value(1)}, ${value(2)}, ${value(3)}, ${value(4)} from json_each(${JSON.stringify(rows)}) where true`,
      )
  })
}

function upsertContentStatement(row: DraftContent, { db }: DataContext) {
  const { value, revision } = row
  return db
    .insert(draftContent)
    .values(row)
    .onConflictDoUpdate({ target: draftContent.name, set: { value, revision } })
}

export function toContentEntries(content: string | null): { name: string; value: string }[] {
  const values: Record<string, unknown> = content === null ? {} : JSON.parse(content)
  return Object.entries(values).map(([name, value]) => ({ name, value: JSON.stringify(value) }))
}

export function serializeDraftContent({ content }: Pick<Draft, 'content'>): string | null {
  if (content.length === 0) return null
  return JSON.stringify(Object.fromEntries(content.map(({ name, value }) => [name, JSON.parse(value)])))
}

/** Hides the products and sizes that the file lacks, but deletes stored products that can't be parsed. */
export function createImportChange(
  draft: Draft,
  fileEntries: readonly CatalogueEntry[],
): Omit<DraftChange, 'audit'> {
  const revision = draft.revision + 1
  const before = new Map(draft.entries.map((entry) => [entry.product.id, entry]))
  const idsInFile = new Set(fileEntries.map(({ id }) => id))
  const imported = fileEntries.map((entry, index) => {
    const product = toDraftProduct(entry)
    const ids = new Set(product.sizes.map(({ id }) => id))
    const missingSizes = before.get(entry.id)?.product.sizes.filter(({ id }) => !ids.has(id)) ?? []
    const sizes = [...product.sizes, ...missingSizes.map((size) => ({ ...size, isHidden: true }))]
    return { position: index, isHidden: false, revision, product: { ...product, sizes } }
  })
  const hidden = draft.entries
    .filter(({ product }) => !idsInFile.has(product.id))
    .map((entry, index) => ({ ...entry, position: fileEntries.length + index, isHidden: true, revision }))
  const upserts = [...imported, ...hidden]
  return {
    upserts,
    deletes: draft.unreadableIds,
    nextItemId: Math.max(isItemId(draft.nextItemId) ? draft.nextItemId : 1, getHighestId(upserts) + 1),
  }
}

/** Ignores `MAX_ITEM_ID` and higher ids, because no new id could follow them. */
function getHighestId(entries: readonly DraftEntry[]): number {
  return listItemIds(entries).reduce((highest, id) => (isItemId(id + 1) ? Math.max(highest, id) : highest), 0)
}

function listItemIds(entries: readonly DraftEntry[]): number[] {
  return entries.flatMap(({ product }) => [product.id, ...product.sizes.map(({ id }) => id)])
}

function isItemId(id: number): boolean {
  return id <= MAX_ITEM_ID
}

export function createItemIdSequence({ nextItemId, entries }: Draft): {
  next: () => number
  peek: () => number
} {
  const usedIds = new Set(listItemIds(entries))
  let id = isItemId(nextItemId) ? nextItemId : getHighestId(entries) + 1
  const skipUsed = () => {
    while (usedIds.has(id)) id++
    return id
  }
  return {
    peek: skipUsed,
    next() {
      const next = skipUsed()
      id++
      return next
    },
  }
}

/** Returns the visible products as the text of `Items.json`. They may be invalid. */
export function serializeDraft({ entries }: Pick<Draft, 'entries'>): string {
  const lines = entries
    .filter(({ isHidden }) => !isHidden)
    .map(({ product }) => JSON.stringify(toCatalogueEntry(product)))
  return `[\n${lines.join(',\n')}\n]\n`
}

export function toCatalogueEntry(draft: DraftProduct) {
  const { id, title, description, price, salePrice, images, category, rate, scale, sizes } = draft
  const visibleSizes = sizes.filter(({ isHidden }) => !isHidden)
  const [first = { image: '', alt: '' }, ...others] = images
  const isOnSale = [draft, ...visibleSizes].some((item) => item.salePrice !== null)
  return {
    id,
    title,
    description,
    image: first.image,
    category,
    ...(rate === null ? {} : { rating: { rate } }),
    ...(first.alt || others.length > 0 ? { images } : {}),
    ...toEntryPrices(price, salePrice),
    ...(isOnSale && draft.saleStartsAt ? { saleStartsAt: draft.saleStartsAt } : {}),
    ...(isOnSale && draft.saleEndsAt ? { saleEndsAt: draft.saleEndsAt } : {}),
    // Visible sizes without a size type are kept, because the schema refuses them. Without them, their stock would be lost.
    ...(scale ? { scale } : {}),
    ...(scale || visibleSizes.length > 0
      ? {
          sizes: visibleSizes.map((size) => ({
            id: size.id,
            label: size.label,
            ...toEntryPrices(size.price ?? (size.salePrice === null ? null : price), size.salePrice),
          })),
        }
      : {}),
  }
}

function toEntryPrices(price: number | null, salePrice: number | null) {
  if (salePrice !== null) return { price: salePrice, ...(price === null ? {} : { compareAtPrice: price }) }
  return price === null ? {} : { price }
}

function toDraftProduct({
  id,
  title,
  name,
  description,
  price,
  compareAtPrice,
  saleStartsAt,
  saleEndsAt,
  image,
  images = [{ image, alt: '' }],
  category,
  rating,
  scale,
  sizes = [],
}: CatalogueEntry): DraftProduct {
  return {
    id,
    title: title ?? name ?? '',
    description,
    ...toDraftPrices(price, compareAtPrice),
    saleStartsAt: saleStartsAt ?? null,
    saleEndsAt: saleEndsAt ?? null,
    images,
    category,
    rate: rating?.rate ?? null,
    scale: scale ?? null,
    sizes: sizes.map(({ id, label, price, compareAtPrice }) => ({
      id,
      label,
      ...toDraftPrices(price ?? null, compareAtPrice),
      isHidden: false,
    })),
  }
}

function toDraftPrices<Price extends number | null>(price: Price, compareAtPrice: number | undefined) {
  return compareAtPrice === undefined
    ? { price, salePrice: null }
    : { price: compareAtPrice, salePrice: price }
}
