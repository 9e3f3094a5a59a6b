import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { readForm } from '#office/platform/form.ts'
import { errorPage, officePage } from '#office/platform/layout.tsx'
import { CATALOGUE_PATH } from '#office/platform/sections.ts'
import { editProducts } from '#server/catalogue/bulk-edit.ts'
import { draftText, readDraft } from '#server/catalogue/draft.ts'
import { moveProduct, setHidden } from '#server/catalogue/edit-product.ts'
import { discardDraft, importDraft } from '#server/catalogue/publish-draft.ts'
import { parseForm } from '#server/platform/http/body.ts'
import type { CatalogueIssue } from '#shared/catalogue/catalogue-issues.ts'

import { type BulkFields, bulkFields, bulkOutcomePath, bulkOutcomeText, parseBulkForm } from './bulk-form.ts'
import { filteredListPath, filterQuery, parseFilter } from './list-filter.ts'
import { ProductList } from './product-list.tsx'

const id = z.string().check(z.regex(/^\d{1,15}$/))
const moveForm = z.object({ id, to: z.enum(['up', 'down', 'first']) })
const stateForm = z.object({ id, to: z.enum(['hidden', 'active']) })

const MAX_FILE_BYTES = 5 * 1024 * 1024

const DONE: Record<string, string> = {
  saved: 'Saved to the draft. Publish the draft to show it to shoppers.',
  deleted: 'Deleted from the draft. Publish the draft to remove it from the shop.',
  imported: 'Imported. The draft now matches the file.',
  discarded: 'Changes discarded. The draft now matches the published catalogue.',
}

type Notice = { notice?: string; isError?: boolean }

/** `/catalogue`: the draft's products, with search, order, visibility, import and export. */
export function cataloguePage(ctx: OfficeContext) {
  async function show(c: Context<OfficeEnv>, notice: Notice = {}, bulk?: BulkFields) {
    const { done = '' } = c.req.query()
    const text = notice.notice ?? DONE[done] ?? bulkOutcomeText(c)
    return officePage(
      c,
      {
        title: 'Catalogue',
        section: 'more',
        ...(text ? { notice: text } : {}),
        isError: notice.isError ?? false,
        children: (
          <ProductList
            draft={await readDraft(ctx)}
            filter={parseFilter(c)}
            search={filterQuery(c)}
            {...(bulk ? { bulk } : {})}
          />
        ),
      },
      notice.isError ? 409 : 200,
    )
  }

  return new Hono<OfficeEnv>()
    .get(CATALOGUE_PATH, (c) => show(c))
    .post(`${CATALOGUE_PATH}/move`, async (c) => {
      const form = await readForm(c, moveForm)
      if (form instanceof Response) return form
      const moved = await moveProduct({ id: Number(form.id), to: form.to, actor: c.var.identity }, ctx)
      return moved.ok ? c.redirect(`${filteredListPath(c)}#product-${form.id}`, 303) : show(c, CONFLICT)
    })
    .post(`${CATALOGUE_PATH}/state`, async (c) => {
      const form = await readForm(c, stateForm)
      if (form instanceof Response) return form
      const actor = c.var.identity
      const changed = await setHidden({ id: Number(form.id), isHidden: form.to === 'hidden', actor }, ctx)
      return changed.ok ? c.redirect(`${filteredListPath(c)}#product-${form.id}`, 303) : show(c, CONFLICT)
    })
    .post(`${CATALOGUE_PATH}/bulk`, async (c) => {
      const posted = await parseForm(c)
      if (!posted.ok) return errorPage(c, 400, 'We couldn’t read this form. Please try again.')
      const fields = bulkFields(posted.data)
      const parsed = parseBulkForm(fields, parseFilter(c))
      if (typeof parsed === 'string') return show(c, { notice: parsed, isError: true }, fields)
      const edited = await editProducts({ ...parsed, actor: c.var.identity }, ctx)
      if (edited.ok) return c.redirect(bulkOutcomePath(c, edited.data), 303)
      const notice = edited.error.code === 'overtaken' ? CONFLICT.notice : SELECTION_CHANGED
      return show(c, { notice, isError: true }, fields)
    })
    .get(`${CATALOGUE_PATH}/Items.json`, async (c) =>
      c.body(draftText(await readDraft(ctx)), 200, {
        'Content-Type': 'application/json',
        'Content-Disposition': 'attachment; filename="Items.json"',
      }),
    )
    .post(
      `${CATALOGUE_PATH}/import`,
      bodyLimit({
        maxSize: MAX_FILE_BYTES,
        onError: (c) => errorPage(c, 413, 'This file is too large. Please choose one under 5 MB.'),
      }),
      async (c) => {
        const { file } = await c.req.parseBody().catch(() => ({ file: undefined }))
        if (!(file instanceof File) || file.size === 0)
          return show(c, { notice: 'Please choose an Items.json file, then import it.', isError: true })
        const imported = await importDraft({ text: await file.text(), actor: c.var.identity }, ctx)
        if (imported.ok) return c.redirect(`${CATALOGUE_PATH}?done=imported`, 303)
        if (imported.error.code === 'overtaken') return show(c, CONFLICT)
        return show(c, { notice: importFailureMessage(imported.error.issues), isError: true })
      },
    )
    .post(`${CATALOGUE_PATH}/discard`, async (c) => {
      await discardDraft({ actor: c.var.identity }, ctx)
      return c.redirect(`${CATALOGUE_PATH}?done=discarded`, 303)
    })
}

function importFailureMessage([first, ...others]: readonly CatalogueIssue[]): string {
  if (first?.index === undefined) return `Nothing was imported. ${first?.problem ?? ''}`
  const problem = `Product ${first.index + 1}: ${first.problem}.`
  const more = others.length > 0 ? ` More problems found: ${others.length}.` : ''
  return `Nothing was imported. ${problem}${more}`
}

const SELECTION_CHANGED =
  'Other products match now, because someone changed the draft. Nothing was changed. Please check and try again.'

const CONFLICT = {
  notice: 'Someone else changed this while you were editing. Nothing was saved. Please check and try again.',
  isError: true,
}
