import type { Context } from 'hono'
import type { OfficeEnv } from '#office/context.ts'
import type { BulkEdit, BulkOutcome } from '#server/catalogue/bulk-edit.ts'
import type { DraftEntry } from '#server/catalogue/draft.ts'
import type { FormFields } from '#server/platform/http/body.ts'
import { MAX_FIELD_CHARACTERS } from '#shared/catalogue/catalogue-issues.ts'
import { formatNumber } from '#shared/format.ts'
import { shop } from '#shared/shop.ts'
import { filterEntries, getFilteredListPath, type ProductListFilter } from './list-filter.ts'

export const BULK_FORM_ID = 'bulk'

export const BULK_EDIT_LABELS = {
  percent: 'Price (percentage)',
  amount: `Price (${shop.currency})`,
  category: 'Category',
  hide: 'Hide',
  show: 'Show',
} as const
type BulkEditName = keyof typeof BULK_EDIT_LABELS

export type BulkFields = {
  ids: ReadonlySet<number>
  isAll: boolean
  /** How many products matched the filter when the page was loaded. */
  matchCount: number
  edit: string
  amount: string
  category: string
}

export const DEFAULT_BULK_FIELDS: BulkFields = {
  ids: new Set<number>(),
  isAll: false,
  matchCount: 0,
  edit: 'percent',
  amount: '',
  category: '',
}

export function readBulkFields(field: FormFields): BulkFields {
  const ids = field.names.flatMap((name) => /^id-(\d{1,15})$/.exec(name)?.[1] ?? [])
  return {
    ids: new Set(ids.map(Number)),
    isAll: field('scope') === 'all',
    matchCount: Number(field('matching')),
    edit: field('edit'),
    amount: field('amount').trim(),
    category: field('category').trim(),
  }
}

type ParsedBulkEdit = {
  select: (entries: readonly DraftEntry[]) => readonly DraftEntry[]
  expectedCount: number
  edit: BulkEdit
  summary: string
}

export function parseBulkForm(fields: BulkFields, filter: ProductListFilter): ParsedBulkEdit | string {
  const { ids, isAll, matchCount } = fields
  if (!isAll && ids.size === 0) return 'Select products in the list, or choose all that match the filter.'
  const parsed = parseEdit(fields)
  if (typeof parsed === 'string') return parsed
  const select = (entries: readonly DraftEntry[]) =>
    isAll ? filterEntries(entries, filter) : entries.filter(({ product }) => ids.has(product.id))
  return { ...parsed, select, expectedCount: isAll ? matchCount : ids.size }
}

function parseEdit(fields: BulkFields): Pick<ParsedBulkEdit, 'edit' | 'summary'> | string {
  const { category } = fields
  const number = Number(fields.amount.replaceAll(/[\s,%]/g, '').replace('−', '-'))
  const isAmountValid = fields.amount !== '' && Number.isFinite(number) && number !== 0
  const sign = number > 0 ? '+' : ''
  switch (fields.edit as BulkEditName) {
    case 'percent':
      if (!isAmountValid || number <= -100)
        return 'Enter a percentage above −100, for example 5 to raise prices or −5 to lower them.'
      return { edit: { price: { percent: number } }, summary: `price ${sign}${number}%` }
    case 'amount':
      if (!isAmountValid)
        return `Enter an amount in ${shop.currency}, for example 50 to raise prices or −50 to lower them.`
      return { edit: { price: { amountKsh: number } }, summary: `price ${sign}${number} ${shop.currency}` }
    case 'category':
      if (!category) return 'Choose a category.'
      return {
        edit: { category: category.slice(0, MAX_FIELD_CHARACTERS.category) },
        summary: `category ${category.slice(0, MAX_FIELD_CHARACTERS.category)}`,
      }
    case 'hide':
      return { edit: { isHidden: true }, summary: 'hidden' }
    case 'show':
      return { edit: { isHidden: false }, summary: 'visible' }
    default:
      return 'Choose what to change.'
  }
}

export function getBulkOutcomePath(c: Context<OfficeEnv>, { changed, unchangeable }: BulkOutcome): string {
  const path = getFilteredListPath(c, 'bulk')
  return `${path}&changed=${changed}&unchangeable=${unchangeable}`
}

export function formatBulkOutcome(c: Context<OfficeEnv>): string | undefined {
  const { done, changed = '', unchangeable = '' } = c.req.query()
  if (done !== 'bulk' || !/^\d{1,6}$/.test(changed) || !/^\d{1,6}$/.test(unchangeable)) return undefined
  const unchangeableNote =
    unchangeable === '0'
      ? ''
      : ` ${formatProductCount(unchangeable)} stayed the same, because a price must be above 0 and above the sale price.`
  if (changed === '0') return `No products changed.${unchangeableNote}`
  return `${formatProductCount(changed)} changed in the draft.${unchangeableNote} Publish the draft to show it to customers.`
}

function formatProductCount(count: string): string {
  return `${formatNumber(Number(count))} ${count === '1' ? 'product' : 'products'}`
}
