import type { Draft } from '#server/catalogue/draft.ts'
import { FIELD_LABELS } from '#server/content/content-labels.ts'
import { type ContentName, type ContentValues, parseContentValues } from '#server/content/content-schema.ts'
import { DEFAULT_CONTACT, DEFAULT_PAYMENTS, getDefaultMarkdown } from '#server/content/default-texts.ts'
import { formatSearchWords } from '#server/content/search-words-text.ts'
import { SEARCH_WORDS } from '#shared/catalogue/search-words.ts'
import { isTextName } from '#shared/content/content.ts'
import { formatMoney, kshToCents } from '#shared/format.ts'
import { shop } from '#shared/shop.ts'

type Values = Partial<ContentValues>

export function describeContent(
  name: ContentName,
  values: Values,
  getTitle: (id: number) => string = String,
): string {
  if (isTextName(name))
    return values[name]?.markdown ?? getDefaultMarkdown(name, values.contact ?? DEFAULT_CONTACT)
  switch (name) {
    case 'banner':
      return values.banner ? [values.banner.markdown, formatBannerDays(values.banner)].join('\n') : ''
    case 'hero':
      return values.hero?.alt ?? 'The shop’s illustration'
    case 'deliveryTime':
      return values.deliveryTime?.text ?? ''
    case 'featured':
      return values.featured?.map(getTitle).join(', ') ?? 'The first four products for children or women'
    case 'contact':
      return Object.entries(values.contact ?? DEFAULT_CONTACT)
        .filter(([, value]) => value !== '')
        .map(([field, value]) => `${FIELD_LABELS[`contact.${field}`]}: ${value}`)
        .join('\n')
    case 'payments': {
      const { cashOnDelivery, cashMaxKsh, cashCounties, payByHand } = values.payments ?? DEFAULT_PAYMENTS
      const limit = formatMoney(kshToCents(cashMaxKsh ?? 0))
      return [
        `Cash on delivery: ${cashOnDelivery ? `up to ${limit} in ${cashCounties.join(', ')}` : 'off'}`,
        `Payment from the M-Pesa menu: ${payByHand ? 'on' : 'off'}`,
      ].join('\n')
    }
    case 'searchWords':
      return formatSearchWords(values.searchWords ?? SEARCH_WORDS)
  }
}

export function formatBannerDays({
  fromDay,
  untilDay,
}: Pick<ContentValues['banner'], 'fromDay' | 'untilDay'>): string {
  const from = fromDay ? `from ${formatIsoDay(fromDay)}` : 'from when you publish it'
  const until = untilDay ? `until the end of ${formatIsoDay(untilDay)}` : 'until you remove it'
  return `Shown ${from} ${until}.`
}

function formatIsoDay(day: string): string {
  return new Intl.DateTimeFormat(shop.locale, { dateStyle: 'long', timeZone: 'UTC' }).format(Date.parse(day))
}

export function createTitleLookup({ entries }: Pick<Draft, 'entries'>): (id: number) => string {
  return (id) => entries.find(({ product }) => product.id === id)?.product.title ?? `product ${id}`
}

/** An undefined `json` means the default. */
export function describeStoredContent(
  name: ContentName,
  json: string | undefined,
  getTitle: (id: number) => string,
): string {
  return describeContent(name, parseContentValues(`{"${name}":${json ?? null}}`), getTitle)
}
