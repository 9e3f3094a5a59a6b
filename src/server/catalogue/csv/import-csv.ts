import {
  changeDraft,
  createItemIdSequence,
  type Draft,
  type DraftChange,
  type DraftContext,
  type DraftEntry,
  type DraftProduct,
  toCatalogueEntry,
} from '#server/catalogue/draft.ts'
import type { Result } from '#server/platform/result.ts'
import { findCatalogueIssues } from '#shared/catalogue/catalogue-issues.ts'
import type { Actor } from '#shared/team/roles.ts'
import type { ImportedProduct } from './imported-product.ts'
import { mergeProduct } from './merge-product.ts'
import { isOwnExport, readOwnColumns } from './own.ts'
import { isShopifyExport, readShopify } from './shopify.ts'
import { type LineProblem, parseTable, type Table } from './table.ts'
import { isWooCommerceExport, readWooCommerce } from './woocommerce.ts'

export type ImportReport = {
  format: string
  added: number
  updated: number
  unchanged: number
  problems: readonly LineProblem[]
  /** The origins of photos that the shop's Content-Security-Policy blocks. */
  blockedOrigins: readonly string[]
}

type ImportInput = {
  bytes: Uint8Array
  /** The shop's own origin, whose photos are stored as paths. */
  origin: string
  imageOrigins: readonly string[]
  actor: Actor
}

const IMPORT_FORMATS = [
  { name: 'CSV from this office', matches: isOwnExport, read: readOwnColumns },
  { name: 'Shopify’s columns', matches: isShopifyExport, read: readShopify },
  { name: 'WooCommerce’s columns', matches: isWooCommerceExport, read: readWooCommerce },
]

type ImportError = { code: 'unreadable'; problem: LineProblem } | { code: 'conflict' }

/** Products that the file doesn't contain stay unchanged. */
export async function importCsv(
  { bytes, origin, imageOrigins, actor }: ImportInput,
  ctx: DraftContext,
): Promise<Result<ImportReport, ImportError>> {
  const table = parseTable(bytes)
  if ('problem' in table) return { ok: false, error: { code: 'unreadable', problem: table } }
  const format = IMPORT_FORMATS.find(({ matches }) => matches(table))
  if (!format) return { ok: false, error: { code: 'unreadable', problem: createUnknownFormatProblem(table) } }
  const products = format.read(table).map((product) => withLocalImagePaths(product, origin))
  if (products.length === 0) return { ok: false, error: { code: 'unreadable', problem: NO_PRODUCTS_PROBLEM } }

  let report: ImportReport | undefined
  const result = await changeDraft<{ code: 'conflict' }>(
    {
      actor,
      change(draft) {
        const { upserts, nextItemId, ...outcome } = mergeProducts(products, draft)
        report = {
          format: format.name,
          ...outcome,
          blockedOrigins: listBlockedOrigins(upserts, imageOrigins),
        }
        const to = `${outcome.added} new, ${outcome.updated} updated, from a CSV file`
        return {
          ok: true,
          data: { upserts, nextItemId, audit: { action: 'catalogue.bulk', subject: 'draft', to } },
        }
      },
    },
    ctx,
  )
  if (!result.ok) return result
  if (!report) throw new Error('The import returned no report.')
  return { ok: true, data: report }
}

type MergeResult = Pick<ImportReport, 'added' | 'updated' | 'unchanged' | 'problems'> & {
  upserts: DraftEntry[]
  nextItemId: NonNullable<DraftChange['nextItemId']>
}

function mergeProducts(products: readonly ImportedProduct[], draft: Draft): MergeResult {
  const ids = createItemIdSequence(draft)
  const find = createEntryFinder(draft.entries)
  const seen = new Set<unknown>()
  const problems: LineProblem[] = []
  const upserts: DraftEntry[] = []
  let [added, unchanged] = [0, 0]
  let position = Math.max(0, ...draft.entries.slice(-1).map((entry) => entry.position))
  for (const imported of products) {
    const before = find(imported)
    const knownProblems = [...imported.problems, ...(before && 'problem' in before ? [before] : [])]
    if (knownProblems.length > 0 || (before && 'problem' in before)) {
      problems.push(...knownProblems)
      continue
    }
    const key = before ?? imported.title?.toLowerCase()
    if (seen.has(key)) {
      problems.push({
        line: imported.line,
        problem: `“${shorten(imported.title ?? '')}” is in the file twice`,
        fix: 'Give each product its own name.',
      })
      continue
    }
    seen.add(key)
    const merged = mergeProduct(imported, before, ids.next)
    if ('problem' in merged) {
      problems.push(merged)
      continue
    }
    const issues = findCatalogueIssues([toCatalogueEntry(merged.product)])
    if (issues.length > 0) {
      problems.push(
        ...issues.map(({ problem }) => ({ line: imported.line, problem, fix: CORRECT_AND_RETRY })),
      )
      continue
    }
    if (before && isSameEntry(before, merged)) {
      unchanged += 1
      continue
    }
    if (!before) added += 1
    upserts.push({ ...merged, position: before?.position ?? ++position, revision: draft.revision + 1 })
  }
  problems.sort((a, b) => a.line - b.line)
  return { upserts, added, unchanged, updated: upserts.length - added, problems, nextItemId: ids.peek() }
}

const CORRECT_AND_RETRY = 'Correct it in the file, then import the file again.'

function createEntryFinder(entries: readonly DraftEntry[]) {
  const byId = new Map(entries.map((entry) => [entry.product.id, entry]))
  const byTitle = Map.groupBy(entries, ({ product }) => product.title.toLowerCase())
  return ({ id, title = '', line }: ImportedProduct): DraftEntry | LineProblem | undefined => {
    if (id !== undefined)
      return (
        byId.get(id) ?? {
          line,
          problem: `Product ${id} isn’t in the catalogue`,
          fix: 'Leave Product and Item empty for a new product.',
        }
      )
    const [entry, other] = byTitle.get(title.toLowerCase()) ?? []
    if (!other) return entry
    return {
      line,
      problem: `Several products are called “${shorten(title)}”`,
      fix: 'Rename them in the office, or use a CSV downloaded here, which identifies products by number.',
    }
  }
}

function isSameEntry(
  before: DraftEntry,
  { product, isHidden }: Pick<DraftEntry, 'product' | 'isHidden'>,
): boolean {
  const toComparable = (value: DraftProduct) =>
    JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return before.isHidden === isHidden && toComparable(before.product) === toComparable(product)
}

function withLocalImagePaths(product: ImportedProduct, origin: string): ImportedProduct {
  if (!product.images) return product
  const images = product.images.map(({ image, alt }) => ({
    image: image.startsWith(`${origin}/`) ? image.slice(origin.length) : image,
    alt,
  }))
  return { ...product, images }
}

function listBlockedOrigins(entries: readonly DraftEntry[], allowed: readonly string[]): string[] {
  const urls = entries.flatMap(({ product }) => product.images.map(({ image }) => image))
  const origins = urls.filter((image) => image.startsWith('https:')).map((image) => new URL(image).origin)
  return [...new Set(origins)].filter((origin) => !allowed.includes(origin))
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

const NO_PRODUCTS_PROBLEM: LineProblem = {
  line: 1,
  problem: 'The file has no products',
  fix: 'Check that the file has a row for each product below the column names.',
}

function createUnknownFormatProblem({ columns }: Table): LineProblem {
  const names = columns.slice(0, 5).map((name) => `“${shorten(name)}”`)
  return {
    line: 1,
    problem: `The columns ${names.join(', ')}${columns.length > 5 ? '…' : ''} don’t match our format, Shopify’s or WooCommerce’s`,
    fix: 'Download our CSV file, fill it in and import it, or import a product export from Shopify or WooCommerce.',
  }
}
