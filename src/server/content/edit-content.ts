import { readLatestContentText, readPublishedCatalogue } from '#server/catalogue/catalogue-versions.ts'
import { listContentChanges } from '#server/catalogue/changes.ts'
import {
  changeDraft,
  type Draft,
  type DraftContext,
  readDraft,
  toContentEntries,
} from '#server/catalogue/draft.ts'
import type { CatalogueContext } from '#server/context.ts'
import type { Result } from '#server/platform/result.ts'
import { SEARCH_WORDS } from '#shared/catalogue/search-words.ts'
import { type ContactDetails, isTextName } from '#shared/content/content.ts'
import type { Actor } from '#shared/team/roles.ts'
import { parseShopDay } from '#shared/time.ts'
import { CONTENT_LABELS, describeContentProblem } from './content-labels.ts'
import {
  CONTENT_SCHEMAS,
  type ContentName,
  type ContentValues,
  parseContentValues,
} from './content-schema.ts'
import { type Content, parseContent } from './content-source.ts'
import { DEFAULT_CONTACT, DEFAULT_PAYMENTS, getDefaultMarkdown } from './default-texts.ts'
import { parseMarkdown, parseMarkdownLine } from './markdown.ts'

export type ContentInput = {
  [Name in ContentName]: ContentValues[Name] extends { nodes: unknown }
    ? Omit<ContentValues[Name], 'nodes'>
    : ContentValues[Name]
}

/** `changed`: the value was edited after it was loaded. `conflict`: there are too many concurrent edits. */
export type ContentError = { code: 'invalid'; message: string } | { code: 'changed' | 'conflict' }

export type DraftedContent = {
  values: Partial<ContentValues>
  /** The draft revision that last changed each value. Default values have none. */
  revisions: ReadonlyMap<string, number>
  changed: ReadonlySet<string>
  draft: Draft
}

/** Returns the latest published content, which may be newer than the version to which KV's pointer refers. */
export async function readLatestContent(ctx: CatalogueContext): Promise<Content> {
  return parseContent(await readLatestContentText(ctx), '')
}

export async function readDraftedContent(ctx: DraftContext): Promise<DraftedContent> {
  const draft = await readDraft(ctx)
  const published = await readPublishedCatalogue(ctx)
  return {
    values: parseDraftValues(draft),
    revisions: new Map(draft.content.map(({ name, revision }) => [name, revision])),
    changed: new Set(
      listContentChanges(toContentEntries(published.content), draft.content).map(({ name }) => name),
    ),
    draft,
  }
}

function parseDraftValues({ content }: Pick<Draft, 'content'>): Partial<ContentValues> {
  return parseContentValues(
    JSON.stringify(Object.fromEntries(content.map(({ name, value }) => [name, JSON.parse(value)]))),
  )
}

type SaveContentInput<Name extends ContentName> = {
  name: Name
  /** Undefined restores the default. */
  entered: ContentInput[Name] | undefined
  expectedRevision: number
  actor: Actor
}

export async function saveContent<Name extends ContentName>(
  { name, entered, expectedRevision, actor }: SaveContentInput<Name>,
  ctx: DraftContext,
): Promise<Result<undefined, ContentError>> {
  const parsed =
    entered === undefined ? undefined : CONTENT_SCHEMAS[name].safeParse(withParsedMarkdown(name, entered))
  if (parsed && !parsed.success)
    return {
      ok: false,
      error: { code: 'invalid', message: describeContentProblem(name, parsed.error.issues) },
    }
  const issue = findPastDayIssue(entered, ctx)
  if (issue) return { ok: false, error: { code: 'invalid', message: describeContentProblem(name, [issue]) } }
  const saved = await changeDraft<ContentError>(
    {
      actor,
      change(draft) {
        const before = draft.content.find((row) => row.name === name)
        if ((before?.revision ?? 0) !== expectedRevision) return { ok: false, error: { code: 'changed' } }
        const { contact = DEFAULT_CONTACT } = parseDraftValues(draft)
        const json = JSON.stringify(parsed?.data)
        const value = json === undefined || json === getDefaultJson(name, contact) ? null : json
        const action = value === null ? 'content.restore' : 'content.save'
        const audit = { action, subject: CONTENT_LABELS[name] } as const
        return { ok: true, data: { content: [{ name, value }], audit } }
      },
    },
    ctx,
  )
  return saved.ok ? { ok: true, data: undefined } : saved
}

/** It isn't in the schema, because published values must stay valid after their last day. */
function findPastDayIssue(entered: object | undefined, { clock }: Pick<DraftContext, 'clock'>) {
  if (!entered || !('untilDay' in entered)) return undefined
  const lastDay = parseShopDay(String(entered.untilDay), clock())
  const isPast = lastDay !== undefined && lastDay.endMs <= clock()
  return isPast ? { path: ['untilDay'], message: 'can’t be in the past' } : undefined
}

export function withParsedMarkdown<Name extends ContentName>(
  name: Name,
  entered: ContentInput[Name],
): unknown {
  if (!('markdown' in entered)) return entered
  const render = name === 'banner' ? parseMarkdownLine : parseMarkdown
  return { ...entered, nodes: render(entered.markdown) }
}

function getDefaultJson(name: ContentName, contact: ContactDetails): string | undefined {
  if (name === 'contact') return JSON.stringify(DEFAULT_CONTACT)
  if (name === 'payments') return JSON.stringify(DEFAULT_PAYMENTS)
  if (name === 'searchWords') return JSON.stringify(SEARCH_WORDS)
  if (!isTextName(name)) return undefined
  return JSON.stringify(withParsedMarkdown(name, { markdown: getDefaultMarkdown(name, contact) }))
}
