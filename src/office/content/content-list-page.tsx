import { Hono } from 'hono'
import type { OfficeEnv } from '#office/context.ts'
import { findSuccessMessage } from '#office/platform/form.ts'
import { renderOfficePage } from '#office/platform/layout.tsx'
import { CONTENT_PATH, getContentPath, PREVIEW_PATH, PUBLISH_PATH } from '#office/platform/sections.ts'
import { CONTENT_LABELS } from '#server/content/content-labels.ts'
import type { ContentName } from '#server/content/content-schema.ts'
import { type DraftedContent, readDraftedContent } from '#server/content/edit-content.ts'
import { truncate } from '#shared/format.ts'
import { CONTENT_GROUPS, CONTENT_PLACES } from './content-places.ts'
import { createTitleLookup, describeContent } from './describe-content.ts'

const SUCCESS_MESSAGES: Record<string, string> = {
  saved: 'Saved to the draft. Publish the draft to show it to customers.',
  removed: 'Banner removed from the draft. Publish the draft to remove it from the shop.',
  restored: 'Default text restored in the draft. Publish the draft to show it to customers.',
}

const MAX_EXCERPT_CHARACTERS = 90

export function contentListRoutes() {
  return new Hono<OfficeEnv>().get(CONTENT_PATH, async (c) => {
    const content = await readDraftedContent(c.var.ownerContext())
    const notice = findSuccessMessage(SUCCESS_MESSAGES, c.req.query('done'))
    return renderOfficePage(c, {
      title: 'Content',
      section: 'more',
      ...(notice && { notice }),
      children: (
        <>
          <h1>Content</h1>
          <div className="actions">
            <a className="button" href={PUBLISH_PATH}>
              {content.changed.size > 0 ? 'Review and publish' : 'View versions'}
            </a>
            <a className="button button--quiet" href={`${PREVIEW_PATH}/`}>
              Preview shop
            </a>
          </div>
          {CONTENT_GROUPS.map(({ heading, names }) => (
            <section key={heading} className="content-group">
              <h2>{heading}</h2>
              <ul className="rows">
                {names.map((name) => (
                  <ContentRow key={name} name={name} content={content} />
                ))}
              </ul>
            </section>
          ))}
        </>
      ),
    })
  })
}

function ContentRow({ name, content }: { name: ContentName; content: DraftedContent }) {
  const { values, revisions, changed, draft } = content
  const { where, whenEmpty } = CONTENT_PLACES[name]
  const text = describeContent(name, values, createTitleLookup(draft))
  const excerpt = truncate(
    text
      .replace(/\*+/g, '')
      .replace(/\s*\n\s*/g, ' · ')
      .replace(/\s+/g, ' '),
    MAX_EXCERPT_CHARACTERS,
  )
  return (
    <li>
      <a className="row-link" href={getContentPath(name)}>
        <span>{CONTENT_LABELS[name]}</span>
        {changed.has(name) ? (
          <span className="mark mark--status">In draft</span>
        ) : (
          <span className="mark">{revisions.has(name) ? 'Changed' : excerpt ? 'Default' : 'Empty'}</span>
        )}
        <span className="note">{where}</span>
        {excerpt || whenEmpty ? <span className="note content-excerpt">{excerpt || whenEmpty}</span> : null}
      </a>
    </li>
  )
}
