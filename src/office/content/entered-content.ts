import type { Draft } from '#server/catalogue/draft.ts'
import type { ContentName, ContentValues } from '#server/content/content-schema.ts'
import { DEFAULT_CONTACT, DEFAULT_PAYMENTS } from '#server/content/default-texts.ts'
import type { ContentInput } from '#server/content/edit-content.ts'
import { parseSearchWords, type SearchWordsError } from '#server/content/search-words-text.ts'
import type { FormFields } from '#server/platform/http/body.ts'
import type { Result } from '#server/platform/result.ts'
import { FEATURED_PRODUCTS } from '#shared/catalogue/catalogue-views.ts'
import { COUNTIES } from '#shared/checkout/checkout-form.ts'
import { isTextName } from '#shared/content/content.ts'
import { formatNumber } from '#shared/format.ts'
import { shop } from '#shared/shop.ts'
import { describeContent } from './describe-content.ts'

type EnteredError = { code: 'invalid'; message: string }

export const FEATURED_FIELDS = Array.from(
  { length: FEATURED_PRODUCTS },
  (_, index) => `featured-${index + 1}`,
)
export const CONTACT_FIELDS = ['email', 'phone', 'whatsapp', 'social', 'code', 'calendar'] as const

/** If the returned data is undefined, the default applies. */
export function parseEnteredContent(
  name: ContentName,
  field: FormFields,
  draft: Pick<Draft, 'entries'>,
): Result<ContentInput[ContentName] | undefined, EnteredError> {
  if (isTextName(name)) return { ok: true, data: { markdown: normaliseLines(field('text')) } }
  switch (name) {
    case 'banner': {
      const [fromDay, untilDay] = [field('fromDay').trim(), field('untilDay').trim()]
      const markdown = field('text').trim()
      return { ok: true, data: markdown || fromDay || untilDay ? { markdown, fromDay, untilDay } : undefined }
    }
    case 'hero': {
      const suffix = findHeroSuffix(field)
      return {
        ok: true,
        data:
          suffix === undefined
            ? undefined
            : { image: field(`image-${suffix}`).trim(), alt: field(`alt-${suffix}`).trim() },
      }
    }
    case 'deliveryTime': {
      const text = field('text').trim()
      return { ok: true, data: text ? { text } : undefined }
    }
    case 'featured':
      return parseEnteredFeatured(field, draft)
    case 'contact': {
      const values = CONTACT_FIELDS.map((key) => [key, field(key).trim()])
      return { ok: true, data: Object.fromEntries(values) as ContentInput['contact'] }
    }
    case 'payments': {
      const limit = field('cashMaxKsh').replace(new RegExp(`[\\s,]|${shop.currency}`, 'gi'), '')
      const payments: ContentInput['payments'] = {
        cashOnDelivery: field('cashOnDelivery') === 'on',
        cashMaxKsh: limit === '' ? null : Number(limit),
        cashCounties: COUNTIES.filter((county) => field(getCountyFieldName(county)) === 'on'),
        payByHand: field('payByHand') === 'on',
      }
      return { ok: true, data: payments }
    }
    case 'searchWords': {
      const rows = parseSearchWords(field('text'))
      if (rows.ok) return rows
      return { ok: false, error: { code: 'invalid', message: describeSearchWordsError(rows.error) } }
    }
  }
}

function describeSearchWordsError(error: SearchWordsError): string {
  switch (error.code) {
    case 'malformed':
      return `Line ${error.line}: please write the words customers type, “=”, and the words to find, for example “gown, frock = dress”.`
    case 'too_broad':
      return `Line ${error.line}: search only uses “${error.word}” from “${error.phrase}”, so this rule would change every search for “${error.word}”. Please use a more specific phrase, or add “${error.word}” to the line if that’s what you want.`
  }
}

export function getCountyFieldName(county: string): string {
  return `county-${county}`
}

export function findHeroSuffix(field: FormFields): string | undefined {
  return field.names.flatMap((name) => /^image-(\w+)$/.exec(name)?.[1] ?? [])[0]
}

function normaliseLines(text: string): string {
  return text.replace(/\r\n?/g, '\n').trim()
}

function parseEnteredFeatured(
  field: FormFields,
  { entries }: Pick<Draft, 'entries'>,
): Result<number[] | undefined, EnteredError> {
  const ids: number[] = []
  for (const [index, name] of FEATURED_FIELDS.entries()) {
    const text = field(name).trim()
    if (!text) continue
    const [number] = /^\d+/.exec(text) ?? []
    const entry =
      entries.find(({ product }) => product.title.toLowerCase() === text.toLowerCase()) ??
      entries.find(({ product }) => String(product.id) === number)
    if (!entry) {
      const message = `We can’t find product ${index + 1}, “${text}”. Please choose one from the list.`
      return { ok: false, error: { code: 'invalid', message } }
    }
    ids.push(entry.product.id)
  }
  return { ok: true, data: ids.length > 0 ? ids : undefined }
}

export function toContentFields(
  name: ContentName,
  values: Partial<ContentValues>,
  { entries }: Pick<Draft, 'entries'>,
): Record<string, string> {
  if (isTextName(name)) return { text: describeContent(name, values) }
  switch (name) {
    case 'banner': {
      const { markdown = '', fromDay = '', untilDay = '' } = values.banner ?? {}
      return { text: markdown, fromDay, untilDay }
    }
    case 'hero':
      return { image: values.hero?.image ?? '', alt: values.hero?.alt ?? '' }
    case 'deliveryTime':
      return { text: describeContent(name, values) }
    case 'featured':
      return Object.fromEntries(
        (values.featured ?? []).map((id, index) => {
          const title = entries.find(({ product }) => product.id === id)?.product.title ?? ''
          return [FEATURED_FIELDS[index], `${id} ${title}`.trim()]
        }),
      )
    case 'contact':
      return values.contact ?? DEFAULT_CONTACT
    case 'payments': {
      const { cashOnDelivery, cashMaxKsh, cashCounties, payByHand } = values.payments ?? DEFAULT_PAYMENTS
      const counties = cashCounties.map((county) => [getCountyFieldName(county), 'on'])
      return {
        cashOnDelivery: cashOnDelivery ? 'on' : '',
        cashMaxKsh: cashMaxKsh === null ? '' : formatNumber(cashMaxKsh),
        payByHand: payByHand ? 'on' : '',
        ...Object.fromEntries(counties),
      }
    }
    case 'searchWords':
      return { text: describeContent(name, values) }
  }
}

export function readTypedFields(name: ContentName, field: FormFields): Record<string, string> {
  if (name === 'hero') {
    const suffix = findHeroSuffix(field)
    return { image: field(`image-${suffix}`), alt: field(`alt-${suffix}`) }
  }
  return Object.fromEntries(field.names.map((key) => [key, field(key)]))
}
