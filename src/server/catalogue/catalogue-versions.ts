import { desc } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { CatalogueContext, DataContext } from '#server/context.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { Unavailable } from '#server/platform/db/client.ts'
import { guardViolation } from '#server/platform/db/guards.ts'
import { catalogueVersions } from '#server/platform/db/schema.ts'
import type { Result } from '#server/platform/result.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { type Assets, parseCatalogueFile } from './catalogue-source.ts'
import { POINTER_KEY, type Pointer, versionKey } from './published-catalogue.ts'

export type CatalogueVersion = typeof catalogueVersions.$inferSelect
type PublishInput = {
  text: string
  base: number
  actor: string
  changes: string
  draftStatements?: readonly BatchItem<'sqlite'>[]
}

export type PublishError = { code: 'broken' | 'overtaken'; message: string }

/**
 * If two people publish on the same base, one succeeds. `isPointed` is false if KV rejected the pointer; the
 * scheduled job sets it later.
 */
export async function publishCatalogue(
  { text, base, actor, changes, draftStatements = [] }: PublishInput,
  ctx: CatalogueContext,
): Promise<Result<{ number: number; hash: string; isPointed: boolean }, PublishError>> {
  const { db, catalogueStore, clock } = ctx
  const file = await parseCatalogueFile(text).catch((error: unknown) => String((error as Error).message))
  if (typeof file === 'string') return { ok: false, error: { code: 'broken', message: file } }
  const { version: hash, catalogue } = file
  const number = base + 1
  await catalogueStore.put(versionKey(hash), text)
  try {
    const row = { number, hash, atMs: clock(), actor, products: catalogue.length, changes }
    const audit = { actor, act: 'catalogue.publish', subject: `version ${number}`, to: changes } as const
    const statements = [db.insert(catalogueVersions).values(row), ...draftStatements] as const
    await commitAudited({ statements, audit }, ctx)
  } catch (error) {
    const guard = guardViolation(error)?.guard
    if (guard !== 'catalogueVersionTaken' && guard !== 'draftChanged') throw error
    const latest = await latestVersion(ctx)
    const reason =
      latest && latest.number > base
        ? `${latest.actor} published version ${latest.number} while you were reviewing.`
        : 'Someone else changed the draft while you were reviewing it.'
    return { ok: false, error: { code: 'overtaken', message: `${reason} Please review the changes again.` } }
  }
  const isPointed = await setPointer(ctx).then(
    () => true,
    () => false,
  )
  return { ok: true, data: { number, hash, isPointed } }
}

export function latestVersion({ db }: DataContext): Promise<CatalogueVersion | undefined> {
  return db.select().from(catalogueVersions).orderBy(desc(catalogueVersions.number)).limit(1).get()
}

/** Number 0 is the file from the build. Throws {@link Unavailable} if the store does not have the version. */
export async function publishedText(
  ctx: CatalogueContext & { shop: Assets },
): Promise<{ number: number; text: string }> {
  const latest = await latestVersion(ctx)
  if (latest) return { number: latest.number, text: await versionText(latest, ctx) }
  const response = await ctx.shop.fetch(new Request('https://localhost/Items.json'))
  if (!response.ok) throw new Unavailable('The catalogue couldn’t be loaded.')
  return { number: 0, text: await response.text() }
}

export async function latestCatalogue(ctx: Parameters<typeof publishedText>[0]): Promise<Catalogue> {
  const { text } = await publishedText(ctx)
  return (await parseCatalogueFile(text)).catalogue
}

export async function versionText(
  { hash, number }: Pick<CatalogueVersion, 'hash' | 'number'>,
  { catalogueStore }: CatalogueContext,
): Promise<string> {
  const text = await catalogueStore.get(versionKey(hash))
  if (text === null) throw new Unavailable(`Version ${number} of the catalogue couldn’t be loaded.`)
  return text
}

export async function updatePointer(ctx: CatalogueContext): Promise<void> {
  const latest = await latestVersion(ctx)
  if (latest && (await ctx.catalogueStore.get(POINTER_KEY)) !== serializePointer(latest))
    await setPointer(ctx)
}

/** Repeats until the version just written is still the latest, in case two people publish at once. */
async function setPointer(ctx: CatalogueContext): Promise<void> {
  let writtenVersion: CatalogueVersion | undefined
  for (;;) {
    const latest = await latestVersion(ctx)
    if (!latest || latest.number === writtenVersion?.number) return
    await ctx.catalogueStore.put(POINTER_KEY, serializePointer(latest))
    writtenVersion = latest
  }
}

function serializePointer({ number, hash }: Pointer): string {
  return JSON.stringify({ number, hash } satisfies Pointer)
}
