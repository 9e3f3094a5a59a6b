import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { findSuccessMessage, readForm, renderFormError } from '#office/platform/form.ts'
import { renderOfficePage } from '#office/platform/layout.tsx'
import { CATALOGUE_PATH } from '#office/platform/sections.ts'
import { editProducts } from '#server/catalogue/bulk-edit.ts'
import { readDraft } from '#server/catalogue/draft.ts'
import { moveProduct, setProductHidden } from '#server/catalogue/edit-product.ts'
import { parseForm } from '#server/platform/http/body.ts'

import {
  type BulkFields,
  formatBulkOutcome,
  getBulkOutcomePath,
  parseBulkForm,
  readBulkFields,
} from './bulk-form.ts'
import { importExportRoutes } from './import-export.tsx'
import { getFilteredListPath, getFilterQuery, parseProductListFilter } from './list-filter.ts'
import { ProductList } from './product-list.tsx'

const itemIdSchema = z.string().check(z.regex(/^\d{1,15}$/))
const moveFormSchema = z.object({ id: itemIdSchema, to: z.enum(['up', 'down', 'first']) })
const visibilityFormSchema = z.object({ id: itemIdSchema, to: z.enum(['hidden', 'active']) })

const SUCCESS_MESSAGES: Record<string, string> = {
  saved: 'Saved to the draft. Publish the draft to show it to customers.',
  deleted: 'Deleted from the draft. Publish the draft to remove it from the shop.',
  imported: 'Imported. The draft now matches the file.',
  discarded: 'Changes discarded. The draft now matches the published catalogue.',
}

type Notice = { notice?: string; isError?: boolean }

export function catalogueRoutes(ctx: OfficeContext) {
  async function show(c: Context<OfficeEnv>, notice: Notice = {}, bulk?: BulkFields) {
    const { done = '' } = c.req.query()
    const text = notice.notice ?? findSuccessMessage(SUCCESS_MESSAGES, done) ?? formatBulkOutcome(c)
    return renderOfficePage(
      c,
      {
        title: 'Catalogue',
        section: 'more',
        ...(text ? { notice: text } : {}),
        isError: notice.isError ?? false,
        children: (
          <ProductList
            draft={await readDraft(c.var.ownerContext())}
            filter={parseProductListFilter(c)}
            search={getFilterQuery(c)}
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
      const form = await readForm(c, moveFormSchema)
      if (form instanceof Response) return form
      const moved = await moveProduct(
        { id: Number(form.id), to: form.to, actor: c.var.identity },
        c.var.ownerContext(),
      )
      return moved.ok
        ? c.redirect(`${getFilteredListPath(c)}#product-${form.id}`, 303)
        : show(c, CONFLICT_NOTICE)
    })
    .post(`${CATALOGUE_PATH}/state`, async (c) => {
      const form = await readForm(c, visibilityFormSchema)
      if (form instanceof Response) return form
      const actor = c.var.identity
      const changed = await setProductHidden(
        { id: Number(form.id), isHidden: form.to === 'hidden', actor },
        c.var.ownerContext(),
      )
      return changed.ok
        ? c.redirect(`${getFilteredListPath(c)}#product-${form.id}`, 303)
        : show(c, CONFLICT_NOTICE)
    })
    .post(`${CATALOGUE_PATH}/bulk`, async (c) => {
      const posted = await parseForm(c)
      if (!posted.ok) return renderFormError(c, posted.error)
      const fields = readBulkFields(posted.data)
      const parsed = parseBulkForm(fields, parseProductListFilter(c))
      if (typeof parsed === 'string') return show(c, { notice: parsed, isError: true }, fields)
      const edited = await editProducts({ ...parsed, actor: c.var.identity }, c.var.ownerContext())
      if (edited.ok) return c.redirect(getBulkOutcomePath(c, edited.data), 303)
      const notice = edited.error.code === 'conflict' ? CONFLICT_NOTICE.notice : SELECTION_CHANGED_MESSAGE
      return show(c, { notice, isError: true }, fields)
    })
    .route(
      '/',
      importExportRoutes(ctx, (c, notice) => show(c, { notice, isError: true })),
    )
}

const SELECTION_CHANGED_MESSAGE =
  'The draft has changed, so different products match now. Nothing was saved. Please check and try again.'

const CONFLICT_NOTICE = {
  notice: 'This has changed since you opened it. Nothing was saved. Please check and try again.',
  isError: true,
}
