import { eq } from 'drizzle-orm'
import type { CatalogueContext } from '#server/context.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { getGuardViolation } from '#server/platform/db/guards.ts'
import { catalogueVersions } from '#server/platform/db/schema.ts'
import type { Result } from '#server/platform/result.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { type CatalogueIssue, findCatalogueIssues } from '#shared/catalogue/catalogue-issues.ts'
import { type CatalogueEntry, catalogueSchema } from '#shared/catalogue/catalogue-schema.ts'
import type { Actor } from '#shared/team/roles.ts'
import {
  type PublishError,
  publishCatalogue,
  readLatestVersion,
  readPublishedCatalogue,
  readVersionText,
  type VersionText,
} from './catalogue-versions.ts'
import { type CatalogueChanges, compareCatalogues, listContentChanges, summariseChanges } from './changes.ts'
import {
  changeDraft,
  changeDraftStatements,
  createImportChange,
  type Draft,
  type DraftChange,
  type DraftContext,
  markPublishedStatement,
  readDraft,
  readStoredDraft,
  serializeDraft,
  serializeDraftContent,
  toContentEntries,
} from './draft.ts'

export type DraftIssue = { id: number | undefined; title: string; problem: string }

export type DraftComparison = {
  draft: Draft
  base: number
  issues: readonly DraftIssue[]
  changes: CatalogueChanges | undefined
  hasDifferences: boolean
  /** The build's catalogue. Undefined once a version has been published. */
  deployed: string | undefined
}

export async function compareDraft(ctx: DraftContext): Promise<DraftComparison> {
  const draft = await readDraft(ctx)
  const { number: base, items, content } = await readPublishedCatalogue(ctx)
  const file: unknown = JSON.parse(serializeDraft(draft))
  const visible = draft.entries.filter(({ isHidden }) => !isHidden)
  const issues = findCatalogueIssues(file).map(({ index, problem }: CatalogueIssue): DraftIssue => {
    const product = index === undefined ? undefined : visible[index]?.product
    return { id: product?.id, title: product?.title || 'Untitled product', problem }
  })
  const unreadable = draft.unreadableIds.map((id) => ({
    id: undefined,
    title: `Product ${id}`,
    ...UNREADABLE_PRODUCT,
  }))
  const published = catalogueSchema.parse(JSON.parse(items))
  const isValid = issues.length + unreadable.length === 0
  const drafted = isValid ? catalogueSchema.parse(file) : undefined
  const changedContent = listContentChanges(toContentEntries(content), draft.content)
  return {
    draft,
    base,
    issues: [...unreadable, ...issues],
    changes: drafted && { ...compareCatalogues(published, drafted), content: changedContent },
    hasDifferences: JSON.stringify(drafted) !== JSON.stringify(published) || changedContent.length > 0,
    deployed: base === 0 ? items : undefined,
  }
}

const UNREADABLE_PRODUCT = {
  problem: 'We can’t read this product. To remove it, discard your changes or import an Items.json file',
}

type PublishDraftInput = {
  base: number
  revision: number
  actor: Actor
}

export async function publishDraft({ base, revision, actor }: PublishDraftInput, ctx: DraftContext) {
  const { draft, changes, issues, hasDifferences, deployed } = await compareDraft(ctx)
  if (draft.revision !== revision) return createConflictError()
  const [issue] = issues
  if (issue || !changes) {
    const message = issue ? `${issue.title}: ${issue.problem}.` : ''
    return { ok: false, error: { code: 'broken', message } } satisfies Result<never, PublishError>
  }
  if (!hasDifferences) {
    const message = 'There’s nothing to publish: the draft matches the published catalogue.'
    return { ok: false, error: { code: 'unchanged', message } } satisfies Result<never, PublishError>
  }
  const draftStatements = [markPublishedStatement(draft, ctx)]
  return publishCatalogue(
    {
      items: serializeDraft(draft),
      content: serializeDraftContent(draft),
      deployed,
      base,
      actor,
      changes: summariseChanges(changes),
      draftStatements,
    },
    ctx,
  )
}

function createConflictError(): { ok: false; error: PublishError } {
  const message = 'The draft changed while you were reviewing it. Please review the changes again.'
  return { ok: false, error: { code: 'conflict', message } }
}

/** Publishes the file with the content that is already published. */
export async function publishFile(
  { text, ...input }: { text: string; base: number; actor: Actor; changes: string },
  ctx: CatalogueContext,
) {
  const latest = await readLatestVersion(ctx)
  const { content } = latest ? await readVersionText(latest, ctx) : { content: null }
  return publishVersion({ items: text, content, ...input }, ctx)
}

/** Also replaces the draft with the version, unless the draft has unpublished changes. */
async function publishVersion(
  { items, content, ...input }: VersionText & { base: number; actor: Actor; changes: string },
  ctx: CatalogueContext,
) {
  const issues = findCatalogueIssues(parseJsonOrNull(items))
  const draft = await readStoredDraft(ctx)
  const fileProducts: CatalogueEntry[] = issues.length > 0 ? [] : JSON.parse(items)
  const draftStatements =
    draft && !hasChanges(draft)
      ? changeDraftStatements(draft, createVersionChange(draft, fileProducts, content), ctx, true)
      : []
  return publishCatalogue({ items, content, ...input, draftStatements }, ctx)
}

function createVersionChange(draft: Draft, products: readonly CatalogueEntry[], content: string | null) {
  return { ...createImportChange(draft, products), content: toContentEntries(content), replacesContent: true }
}

function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export function hasChanges({ revision, publishedRevision }: Draft): boolean {
  return revision !== publishedRevision
}

export async function restoreVersion(
  { number, actor }: { number: number; actor: Actor },
  ctx: CatalogueContext,
): Promise<
  Awaited<ReturnType<typeof publishFile>> | { ok: false; error: { code: 'unknown_version'; message: string } }
> {
  const row = await ctx.db.select().from(catalogueVersions).where(eq(catalogueVersions.number, number)).get()
  const latest = await readLatestVersion(ctx)
  if (!row || !latest)
    return { ok: false, error: { code: 'unknown_version', message: `We can’t find version ${number}.` } }
  const version = await readVersionText(row, ctx)
  const changes = `rolled back to version ${number}`
  return publishVersion({ ...version, base: latest.number, actor, changes }, ctx)
}

export async function importDraft(
  { text, actor }: { text: string; actor: Actor },
  ctx: DraftContext,
): Promise<
  Result<DraftChange, { code: 'broken'; issues: readonly CatalogueIssue[] } | { code: 'conflict' }>
> {
  const file = parseJsonOrNull(text)
  const issues = findCatalogueIssues(file)
  if (issues.length > 0) return { ok: false, error: { code: 'broken', issues } }
  const entries = file as CatalogueEntry[]
  const change = (draft: Draft) => {
    const audit = { action: 'catalogue.import', subject: 'draft', to: `${entries.length} products` } as const
    return { ok: true as const, data: { ...createImportChange(draft, entries), audit } }
  }
  return changeDraft<{ code: 'conflict' }>({ actor, change }, ctx)
}

export async function discardDraft(
  { revision, actor }: { revision: number; actor: Actor },
  ctx: DraftContext,
): Promise<Result<undefined, PublishError>> {
  const draft = await readDraft(ctx)
  if (draft.revision !== revision) return createConflictError()
  const { number, items, content } = await readPublishedCatalogue(ctx)
  const audit = { actor, action: 'catalogue.import', subject: 'draft', to: `version ${number}` } as const
  const statements = changeDraftStatements(
    draft,
    createVersionChange(draft, JSON.parse(items), content),
    ctx,
    true,
  )
  try {
    await commitAudited({ statements, audit }, ctx)
    return { ok: true, data: undefined }
  } catch (error) {
    if (getGuardViolation(error)?.guard !== 'draftChanged') throw error
    return createConflictError()
  }
}

export function parseDraftCatalogue(draft: Draft): Catalogue | undefined {
  return catalogueSchema.safeParse(JSON.parse(serializeDraft(draft))).data
}
