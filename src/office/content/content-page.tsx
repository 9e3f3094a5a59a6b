import { type Context, Hono } from 'hono'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { renderFormError } from '#office/platform/form.ts'
import { renderErrorPage, renderOfficePage } from '#office/platform/layout.tsx'
import { CONTENT_PATH, getContentPath } from '#office/platform/sections.ts'
import { CONTENT_LABELS } from '#server/content/content-labels.ts'
import { type ContentName, isContentName } from '#server/content/content-schema.ts'
import {
  type ContentError,
  type DraftedContent,
  readDraftedContent,
  saveContent,
} from '#server/content/edit-content.ts'
import { parseForm } from '#server/platform/http/body.ts'
import { ContentForm } from './content-form.tsx'
import { parseEnteredContent, readTypedFields, toContentFields } from './entered-content.ts'

type Notice = { notice?: string; isError?: boolean }

export function contentRoutes(ctx: OfficeContext) {
  function show(
    c: Context<OfficeEnv>,
    name: ContentName,
    { content, fields }: { content: DraftedContent; fields?: Record<string, string> },
    notice: Notice = {},
  ) {
    const { values, revisions, changed, draft } = content
    return renderOfficePage(
      c,
      {
        title: CONTENT_LABELS[name],
        section: 'more',
        ...notice,
        children: (
          <ContentForm
            name={name}
            fields={fields ?? toContentFields(name, values, draft)}
            revision={revisions.get(name) ?? 0}
            isChanged={changed.has(name)}
            products={draft.entries.map(({ product }) => product)}
            shopOrigin={ctx.config.SITE_ORIGIN ?? new URL(c.req.url).origin}
          />
        ),
      },
      notice.isError ? 409 : 200,
    )
  }

  return new Hono<OfficeEnv>()
    .get(getContentPath(':name'), async (c) => {
      const name = c.req.param('name') ?? ''
      if (!isContentName(name)) return renderErrorPage(c, 404, NOT_FOUND_MESSAGE)
      return show(c, name, { content: await readDraftedContent(c.var.ownerContext()) })
    })
    .post(getContentPath(':name'), async (c) => {
      const name = c.req.param('name') ?? ''
      if (!isContentName(name)) return renderErrorPage(c, 404, NOT_FOUND_MESSAGE)
      const posted = await parseForm(c)
      if (!posted.ok) return renderFormError(c, posted.error)
      const content = await readDraftedContent(c.var.ownerContext())
      const typed = { content, fields: readTypedFields(name, posted.data) }
      const entered = parseEnteredContent(name, posted.data, content.draft)
      if (!entered.ok) return show(c, name, typed, { notice: entered.error.message, isError: true })
      if (posted.data('do') === 'preview')
        return show(c, name, typed, { notice: 'Not saved yet. Save the draft to keep your changes.' })
      const expectedRevision = Number(posted.data('seen'))
      const saved = await saveContent(
        { name, entered: entered.data, expectedRevision, actor: c.var.identity },
        c.var.ownerContext(),
      )
      if (saved.ok) return c.redirect(`${CONTENT_PATH}?done=saved`, 303)
      return show(c, name, typed, { notice: formatProblem(saved.error), isError: true })
    })
    .post(`${getContentPath(':name')}/restore`, async (c) => {
      const name = c.req.param('name') ?? ''
      if (!isContentName(name)) return renderErrorPage(c, 404, NOT_FOUND_MESSAGE)
      const content = await readDraftedContent(c.var.ownerContext())
      const expectedRevision = content.revisions.get(name) ?? 0
      const restored = await saveContent(
        { name, entered: undefined, expectedRevision, actor: c.var.identity },
        c.var.ownerContext(),
      )
      if (restored.ok)
        return c.redirect(`${CONTENT_PATH}?done=${name === 'banner' ? 'removed' : 'restored'}`, 303)
      return show(c, name, { content }, { notice: formatProblem(restored.error), isError: true })
    })
}

const NOT_FOUND_MESSAGE = 'We can’t find this text.'

const ERROR_MESSAGES = {
  changed: 'This has changed since you opened it. Save again to overwrite those changes.',
  conflict: 'Someone else changed the draft at the same time. Nothing was saved. Please save again.',
}

function formatProblem(error: ContentError): string {
  return error.code === 'invalid' ? error.message : ERROR_MESSAGES[error.code]
}
