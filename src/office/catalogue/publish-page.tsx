import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import { createTitleLookup, describeStoredContent } from '#office/content/describe-content.ts'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { DateTime } from '#office/platform/date-time.tsx'
import { readForm } from '#office/platform/form.ts'
import { Confirmation, renderErrorPage, renderOfficePage } from '#office/platform/layout.tsx'
import { CATALOGUE_PATH, getProductPath, PREVIEW_PATH, PUBLISH_PATH } from '#office/platform/sections.ts'
import { type CatalogueVersion, listVersions } from '#server/catalogue/catalogue-versions.ts'
import type { CatalogueChanges } from '#server/catalogue/changes.ts'
import { type Draft, readDraft } from '#server/catalogue/draft.ts'
import {
  compareDraft,
  type DraftComparison,
  discardDraft,
  hasChanges,
  publishDraft,
  restoreVersion,
} from '#server/catalogue/publish-draft.ts'
import { CONTENT_LABELS } from '#server/content/content-labels.ts'
import { isContentName } from '#server/content/content-schema.ts'
import { formatList, formatNumber } from '#shared/format.ts'
import { describeNavigation, getNavigationLabel } from './describe-navigation.ts'

const DISCARD_PATH = `${CATALOGUE_PATH}/discard`

const versionNumberSchema = z.string().check(z.regex(/^\d{1,15}$/))
const publishFormSchema = z.object({ base: versionNumberSchema, revision: versionNumberSchema })
const discardFormSchema = z.object({ revision: versionNumberSchema })
const restoreFormSchema = z.object({ number: versionNumberSchema })

export function publishRoutes(ctx: OfficeContext) {
  async function show(c: Context<OfficeEnv>, notice: { notice?: string; isError?: boolean } = {}) {
    const comparison = await compareDraft(c.var.ownerContext())
    const versions = await listVersions(c.var.ownerContext())
    const children = (
      <>
        <h1>Publish</h1>
        <p>
          <a className="page-link" href={CATALOGUE_PATH}>
            Back to the catalogue
          </a>
        </p>
        <DraftPanel {...comparison} />
        <VersionList versions={versions} />
      </>
    )
    return renderOfficePage(
      c,
      { title: 'Publish', section: 'more', ...notice, children },
      notice.isError ? 409 : 200,
    )
  }

  const describePublication = (isPointed: boolean, restoredVersion: string | undefined) =>
    `${restoredVersion ? `Rolled back to version ${restoredVersion}` : 'Published'}. Customers will see the changes within ${isPointed ? 'a minute' : 'five minutes'}.`

  async function redirectPublished(
    c: Context<OfficeEnv>,
    { isPointed }: { isPointed: boolean },
    restoredVersion?: string,
  ) {
    // If this fails, the shop loads the version at its next check.
    await ctx.showLatestVersion().catch((error: unknown) => c.var.recordFailure(error))
    const done = isPointed ? 'now' : 'soon'
    const version = restoredVersion ? `&version=${restoredVersion}` : ''
    return c.redirect(`${PUBLISH_PATH}?done=${done}${version}`, 303)
  }

  return new Hono<OfficeEnv>()
    .get(PUBLISH_PATH, async (c) => {
      const { done, version: restored = '' } = c.req.query()
      if (!done) return show(c)
      const version = versionNumberSchema.safeParse(restored).data
      const keepsChanges = version !== undefined && hasChanges(await readDraft(c.var.ownerContext()))
      const draft = keepsChanges ? ' The draft keeps its own changes: check them before you publish.' : ''
      return show(c, { notice: describePublication(done === 'now', version) + draft })
    })
    .post(PUBLISH_PATH, async (c) => {
      const form = await readForm(c, publishFormSchema)
      if (form instanceof Response) return form
      const input = { base: Number(form.base), revision: Number(form.revision), actor: c.var.identity }
      const published = await publishDraft(input, c.var.ownerContext())
      if (!published.ok) return show(c, { notice: published.error.message, isError: true })
      return redirectPublished(c, published.data)
    })
    .get(DISCARD_PATH, async (c) => {
      const draft = await readDraft(c.var.ownerContext())
      if (!hasChanges(draft)) return renderErrorPage(c, 404, 'There are no changes to discard.')
      return renderOfficePage(c, {
        title: 'Discard changes',
        section: 'more',
        children: (
          <Confirmation
            heading="Discard all unpublished changes?"
            sentence={`${describeUnpublishedChanges(draft)} The draft will match the published catalogue again. This can’t be undone.`}
            action={DISCARD_PATH}
            fields={{ revision: String(draft.revision) }}
            button="Discard changes"
            back={PUBLISH_PATH}
          />
        ),
      })
    })
    .post(DISCARD_PATH, async (c) => {
      const form = await readForm(c, discardFormSchema)
      if (form instanceof Response) return form
      const input = { revision: Number(form.revision), actor: c.var.identity }
      const discarded = await discardDraft(input, c.var.ownerContext())
      if (!discarded.ok) return show(c, { notice: discarded.error.message, isError: true })
      return c.redirect(`${CATALOGUE_PATH}?done=discarded`, 303)
    })
    .post(`${CATALOGUE_PATH}/restore`, async (c) => {
      const form = await readForm(c, restoreFormSchema)
      if (form instanceof Response) return form
      const restored = await restoreVersion({ number: Number(form.number), actor: c.var.identity }, ctx)
      if (!restored.ok) return show(c, { notice: restored.error.message, isError: true })
      return redirectPublished(c, restored.data, form.number)
    })
}

const MAX_LISTED_NAMES = 10

function describeUnpublishedChanges({ publishedRevision, entries, content }: Draft): string {
  const isUnpublished = ({ revision }: { revision: number }) => revision > publishedRevision
  const names = [
    ...entries.filter(isUnpublished).map(({ product: { id, title } }) => title || `product ${id}`),
    ...content
      .filter(isUnpublished)
      .map(({ name }) => (isContentName(name) ? CONTENT_LABELS[name] : getNavigationLabel(name))),
  ]
  if (names.length === 0) return 'You’ll lose everything changed in the draft since you last published.'
  const others = names.length - MAX_LISTED_NAMES
  const list = formatList([
    ...names.slice(0, MAX_LISTED_NAMES),
    ...(others > 0 ? [`${formatNumber(others)} more`] : []),
  ])
  return `You’ll lose everything changed in the draft since you last published, including your changes to ${list}.`
}

function DraftPanel({ draft, base, issues, changes, hasDifferences }: DraftComparison) {
  return (
    <section className="panel">
      <h2>Changes to publish</h2>
      {issues.length > 0 ? (
        <>
          <p>Fix these problems before publishing:</p>
          <ul>
            {issues.map(({ id, title, problem }) => (
              <li key={`${id} ${problem}`}>
                {id === undefined ? title : <a href={getProductPath(id)}>{title}</a>}: {problem}.
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {changes ? <DraftChanges changes={changes} getTitle={createTitleLookup(draft)} /> : null}
      <div className="actions">
        {changes && hasDifferences ? (
          <form method="post" action={PUBLISH_PATH}>
            <input type="hidden" name="base" value={base} />
            <input type="hidden" name="revision" value={draft.revision} />
            <button className="button" type="submit">
              Publish changes
            </button>
          </form>
        ) : null}
        <a className="button button--quiet" href={PREVIEW_PATH}>
          Preview shop
        </a>
        {hasChanges(draft) ? (
          <a className="button button--quiet" href={DISCARD_PATH}>
            Discard changes
          </a>
        ) : null}
      </div>
    </section>
  )
}

function DraftChanges({
  changes: { prices, added, removed, edited, isReordered, content },
  getTitle,
}: {
  changes: CatalogueChanges
  getTitle: ContentChangesProps['getTitle']
}) {
  const lists = [prices, added, removed, edited, content]
  const isEmpty = lists.every(({ length }) => length === 0) && !isReordered
  if (isEmpty) return <p>No changes to publish.</p>
  return (
    <>
      {prices.length > 0 ? <h3>Prices</h3> : null}
      <ul>
        {prices.map(({ name, from, to }) => (
          <li key={name}>
            {name}: {from} → <strong>{to}</strong>
          </li>
        ))}
      </ul>
      <NameList heading="New" names={added} />
      <NameList heading="No longer in the shop" names={removed} />
      <NameList heading="Edited" names={edited.map(({ name, fields }) => `${name}: ${fields.join(', ')}`)} />
      {isReordered ? <p>The products are in a different order.</p> : null}
      <ContentChanges changes={content} getTitle={getTitle} />
    </>
  )
}

type ContentChangesProps = { changes: CatalogueChanges['content']; getTitle: (id: number) => string }

function ContentChanges({ changes, getTitle }: ContentChangesProps) {
  if (changes.length === 0) return null
  return (
    <>
      <h3>Content</h3>
      {changes.map(({ name, from, to }) => {
        const isContent = isContentName(name)
        const describe = (json: string | undefined) =>
          (isContent ? describeStoredContent(name, json, getTitle) : describeNavigation(name, json)) ||
          'Empty'
        return (
          <details key={name} className="content-change">
            <summary>{isContent ? CONTENT_LABELS[name] : getNavigationLabel(name)}</summary>
            <h4>Before</h4>
            <blockquote>{describe(from)}</blockquote>
            <h4>After</h4>
            <blockquote>{describe(to)}</blockquote>
          </details>
        )
      })}
    </>
  )
}

function NameList({ heading, names }: { heading: string; names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <>
      <h3>{heading}</h3>
      <ul>
        {names.map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </>
  )
}

function VersionList({ versions }: { versions: readonly CatalogueVersion[] }) {
  if (versions.length === 0) return <p className="empty">Published versions will appear here.</p>
  return (
    <section className="panel">
      <h2>Versions</h2>
      <ul className="rows">
        {versions.map(({ number, atMs, actor, products, changes }, index) => (
          <li className="row" key={number}>
            <div>
              <strong>Version {number}</strong>
              {index === 0 ? <span className="mark">Live</span> : null}
              <span className="note">
                <DateTime atMs={atMs} />, {actor}: {changes}. {formatNumber(products)}{' '}
                {products === 1 ? 'product' : 'products'}.
              </span>
            </div>
            {index === 0 ? null : (
              <form method="post" action={`${CATALOGUE_PATH}/restore`}>
                <input type="hidden" name="number" value={number} />
                <button className="button button--quiet" type="submit">
                  Roll back to version {number}
                </button>
              </form>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
