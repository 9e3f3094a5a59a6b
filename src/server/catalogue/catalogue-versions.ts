import { desc } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { CatalogueContext, DataContext } from '#server/context.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { UnavailableError } from '#server/platform/db/client.ts'
import { getGuardViolation } from '#server/platform/db/guards.ts'
import { catalogueVersions } from '#server/platform/db/schema.ts'
import type { Result } from '#server/platform/result.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { getCatalogueAt } from '#shared/catalogue/sales.ts'
import type { Actor } from '#shared/team/roles.ts'
import { type Assets, parseCatalogueFile } from './catalogue-source.ts'
import { getContentKey, getVersionKey, POINTER_KEY, type Pointer } from './published-catalogue.ts'

export type CatalogueVersion = typeof catalogueVersions.$inferSelect
/** `items` is the text of `Items.json`. `content` is JSON, or null for the default content. */
export type VersionText = { items: string; content: string | null }

type PublishCatalogueInput = VersionText & {
  base: number
  actor: Actor
  changes: string
  /** The build's catalogue. The first publish records it as version 1, for rollbacks. */
  deployed?: string | undefined
  draftStatements?: readonly BatchItem<'sqlite'>[]
}

export type PublishError = { code: 'broken' | 'conflict' | 'unchanged'; message: string }

/**
 * If two people publish on the same base, only one succeeds. `isPointed` is false if the pointer in KV couldn't be
 * updated; the next housekeeping run updates it.
 */
export async function publishCatalogue(
  { items, content, base, actor, changes, deployed, draftStatements = [] }: PublishCatalogueInput,
  ctx: CatalogueContext,
): Promise<Result<{ number: number; hash: string; isPointed: boolean }, PublishError>> {
  const { db, catalogueStore, clock } = ctx
  const file = await parseCatalogueFile(items).catch((error: unknown) => String((error as Error).message))
  if (typeof file === 'string') return { ok: false, error: { code: 'broken', message: file } }
  const { version: hash, catalogue } = file
  const deployedRow =
    base === 0 && deployed !== undefined ? await storeDeployedCatalogue(deployed, ctx) : undefined
  const number = (deployedRow?.number ?? base) + 1
  const contentHash = content === null ? null : await sha256Hex(content)
  await Promise.all([
    catalogueStore.put(getVersionKey(hash), items),
    content !== null && contentHash && catalogueStore.put(getContentKey(contentHash), content),
  ])
  try {
    const row = {
      number,
      hash,
      contentHash,
      atMs: clock(),
      actor: actor.email,
      products: catalogue.length,
      changes,
    }
    const rows = deployedRow ? [deployedRow, row] : [row]
    const audit = { actor, action: 'catalogue.publish', subject: `version ${number}`, to: changes } as const
    const statements = [db.insert(catalogueVersions).values(rows), ...draftStatements] as const
    await commitAudited({ statements, audit }, ctx)
  } catch (error) {
    const guard = getGuardViolation(error)?.guard
    if (guard !== 'catalogueVersionTaken' && guard !== 'draftChanged') throw error
    const latest = await readLatestVersion(ctx)
    const reason =
      latest && latest.number > base
        ? `${latest.actor} published version ${latest.number} while you were reviewing.`
        : 'The draft changed while you were reviewing it.'
    return { ok: false, error: { code: 'conflict', message: `${reason} Please review the changes again.` } }
  }
  const isPointed = await writeLatestPointer(ctx).then(
    () => true,
    () => false,
  )
  return { ok: true, data: { number, hash, isPointed } }
}

async function storeDeployedCatalogue(text: string, ctx: CatalogueContext): Promise<CatalogueVersion> {
  const { version: hash, catalogue } = await parseCatalogueFile(text)
  await ctx.catalogueStore.put(getVersionKey(hash), text)
  return {
    number: 1,
    hash,
    contentHash: null,
    atMs: ctx.clock(),
    actor: 'deployment',
    products: catalogue.length,
    changes: 'the catalogue as deployed',
  }
}

export function readLatestVersion({ db }: DataContext): Promise<CatalogueVersion | undefined> {
  return db.select().from(catalogueVersions).orderBy(desc(catalogueVersions.number)).limit(1).get()
}

const MAX_LISTED_VERSIONS = 20

export function listVersions({ db }: OwnerContext): Promise<CatalogueVersion[]> {
  return db
    .select()
    .from(catalogueVersions)
    .orderBy(desc(catalogueVersions.number))
    .limit(MAX_LISTED_VERSIONS)
}

/** `number` is 0 if nothing has been published, and `items` is then the file from the build. */
export async function readPublishedCatalogue(
  ctx: CatalogueContext & { shop: Assets },
): Promise<VersionText & { number: number }> {
  const latest = await readLatestVersion(ctx)
  if (latest) return { number: latest.number, ...(await readVersionText(latest, ctx)) }
  const response = await ctx.shop.fetch(new Request('https://localhost/Items.json'))
  if (!response.ok) throw new UnavailableError('The catalogue couldn’t be loaded.')
  return { number: 0, items: await response.text(), content: null }
}

export async function readLatestContentText(ctx: CatalogueContext): Promise<string | null> {
  const latest = await readLatestVersion(ctx)
  return latest ? readContentText(latest, ctx) : null
}

export async function readLatestCatalogue(
  ctx: Parameters<typeof readPublishedCatalogue>[0],
): Promise<Catalogue> {
  const { items } = await readPublishedCatalogue(ctx)
  return getCatalogueAt((await parseCatalogueFile(items)).catalogue, ctx.clock())
}

export async function readVersionText(
  version: Pick<CatalogueVersion, 'hash' | 'contentHash' | 'number'>,
  ctx: CatalogueContext,
): Promise<VersionText> {
  const [items, content] = await Promise.all([
    ctx.catalogueStore.get(getVersionKey(version.hash)),
    readContentText(version, ctx),
  ])
  if (items === null) throw createNotLoadedError(version)
  return { items, content }
}

async function readContentText(
  version: Pick<CatalogueVersion, 'contentHash' | 'number'>,
  { catalogueStore }: CatalogueContext,
): Promise<string | null> {
  if (version.contentHash === null) return null
  const content = await catalogueStore.get(getContentKey(version.contentHash))
  if (content === null) throw createNotLoadedError(version)
  return content
}

function createNotLoadedError({ number }: Pick<CatalogueVersion, 'number'>): UnavailableError {
  return new UnavailableError(`Version ${number} of the catalogue couldn’t be loaded.`)
}

export async function updatePointerIfOutdated(ctx: CatalogueContext): Promise<void> {
  const latest = await readLatestVersion(ctx)
  if (latest && (await ctx.catalogueStore.get(POINTER_KEY)) !== serializePointer(latest))
    await writeLatestPointer(ctx)
}

/** Repeats the write if someone published between the read and the write. */
async function writeLatestPointer(ctx: CatalogueContext): Promise<void> {
  let writtenVersion: CatalogueVersion | undefined
  for (;;) {
    const latest = await readLatestVersion(ctx)
    if (!latest || latest.number === writtenVersion?.number) return
    await ctx.catalogueStore.put(POINTER_KEY, serializePointer(latest))
    writtenVersion = latest
  }
}

export function toPointer({ number, hash, contentHash }: CatalogueVersion): Pointer {
  return { number, hash, ...(contentHash !== null && { content: contentHash }) }
}

function serializePointer(version: CatalogueVersion): string {
  return JSON.stringify(toPointer(version))
}
