import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { renderErrorPage, renderOfficePage } from '#office/platform/layout.tsx'
import { CATALOGUE_PATH } from '#office/platform/sections.ts'
import { CSV_FORMATS, generateCsvLines } from '#server/catalogue/csv/export-csv.ts'
import { importCsv } from '#server/catalogue/csv/import-csv.ts'
import { readDraft, serializeDraft } from '#server/catalogue/draft.ts'
import { importDraft } from '#server/catalogue/publish-draft.ts'
import type { CatalogueIssue } from '#shared/catalogue/catalogue-issues.ts'
import { ImportResult } from './import-panel.tsx'

const MAX_FILE_BYTES = 5 * 1024 * 1024

type ShowError = (c: Context<OfficeEnv>, message: string) => Promise<Response>

export function importExportRoutes(ctx: OfficeContext, showError: ShowError) {
  const getOrigin = (c: Context<OfficeEnv>) => ctx.config.SITE_ORIGIN ?? new URL(c.req.url).origin

  async function importProducts(c: Context<OfficeEnv>, bytes: Uint8Array): Promise<Response> {
    const imageOrigins = ctx.config.IMAGE_ORIGINS.split(/[,\s]+/).filter(Boolean)
    const input = { bytes, origin: getOrigin(c), imageOrigins, actor: c.var.identity }
    const imported = await importCsv(input, c.var.ownerContext())
    if (imported.ok)
      return renderOfficePage(c, {
        title: 'Import',
        section: 'more',
        children: <ImportResult report={imported.data} />,
      })
    if (imported.error.code === 'conflict') return showError(c, CONFLICT_MESSAGE)
    const { line, problem, fix } = imported.error.problem
    return showError(c, `Nothing was imported. Line ${line}: ${problem}. ${fix}`)
  }

  async function replaceDraft(c: Context<OfficeEnv>, text: string): Promise<Response> {
    const imported = await importDraft({ text, actor: c.var.identity }, c.var.ownerContext())
    if (imported.ok) return c.redirect(`${CATALOGUE_PATH}?done=imported`, 303)
    return showError(
      c,
      imported.error.code === 'conflict' ? CONFLICT_MESSAGE : describeImportFailure(imported.error.issues),
    )
  }

  return new Hono<OfficeEnv>()
    .get(`${CATALOGUE_PATH}/Items.json`, async (c) =>
      c.body(serializeDraft(await readDraft(c.var.ownerContext())), 200, {
        'Content-Type': 'application/json',
        'Content-Disposition': 'attachment; filename="Items.json"',
      }),
    )
    .get(`${CATALOGUE_PATH}/csv`, async (c) => {
      const format = CSV_FORMATS.find((name) => name === c.req.query('format')) ?? 'own'
      const { entries } = await readDraft(c.var.ownerContext())
      const name = format === 'own' ? 'products.csv' : `products-${format}.csv`
      return c.body([...generateCsvLines(entries, format, getOrigin(c))].join(''), 200, {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': `attachment; filename="${name}"`,
      })
    })
    .post(
      `${CATALOGUE_PATH}/import`,
      bodyLimit({
        maxSize: MAX_FILE_BYTES,
        onError: (c) => renderErrorPage(c, 413, 'This file is too large. Please choose one under 5 MB.'),
      }),
      async (c) => {
        const { file } = await c.req.parseBody().catch(() => ({ file: undefined }))
        if (!(file instanceof File) || file.size === 0)
          return showError(c, 'Please choose a CSV or Items.json file, then import it.')
        const isJson = /\.json$/i.test(file.name) || file.type === 'application/json'
        return isJson ? replaceDraft(c, await file.text()) : importProducts(c, await file.bytes())
      },
    )
}

const CONFLICT_MESSAGE =
  'This has changed since you opened it. Nothing was saved. Please check and try again.'

function describeImportFailure([first, ...others]: readonly CatalogueIssue[]): string {
  if (first?.index === undefined) return `Nothing was imported. ${first?.problem ?? ''}`
  const problem = `Product ${first.index + 1}: ${first.problem}.`
  const more = others.length > 0 ? ` More problems found: ${others.length}.` : ''
  return `Nothing was imported. ${problem}${more}`
}
