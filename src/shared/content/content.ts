import type { SearchWordRow } from '#shared/catalogue/search-words.ts'

/** Formatted text: strings and elements that React creates without parsing HTML. `href` is set for links only. */
export type RichText = readonly RichNode[]
export type RichNode = string | readonly [tag: RichTag, children: RichText, href?: string]
export const RICH_TAGS = ['p', 'ul', 'ol', 'li', 'strong', 'em', 'br', 'a'] as const
export type RichTag = (typeof RICH_TAGS)[number]

/** Web, email and phone addresses, and paths of the shop. */
export function isAllowedLink(url: string): boolean {
  return /^(https?:\/\/|mailto:|tel:)/i.test(url) || /^(\/(?![/\\]|%5c)|#)/i.test(url)
}

export const TEXT_NAMES = ['story', 'philosophy', 'sizes', 'privacy', 'delivery', 'returns', 'hours'] as const
export type TextName = (typeof TEXT_NAMES)[number]

export function isTextName(name: string): name is TextName {
  return TEXT_NAMES.some((text) => text === name)
}

/** `whatsapp` and `phone` may be empty. */
export type ContactDetails = {
  email: string
  phone: string
  /** Digits with the country code. */
  whatsapp: string
  social: string
  code: string
  calendar: string
}

/** The content in `/content.json`, for pages rendered in the browser. */
export type PageContent = Readonly<Record<TextName, RichText>> & {
  contact: ContactDetails
  /** Ids of the dashboard's products; empty selects them by category (§ 7). */
  featured: readonly number[]
  searchWords: readonly SearchWordRow[]
}

export type AboutView = Pick<PageContent, 'story' | 'philosophy' | 'sizes' | 'privacy'>

export function aboutView({ story, philosophy, sizes, privacy }: PageContent): AboutView {
  return { story, philosophy, sizes, privacy }
}

export type ContactTexts = Pick<PageContent, 'delivery' | 'returns' | 'hours' | 'contact'>

export function contactTexts({ delivery, returns, hours, contact }: PageContent): ContactTexts {
  return { delivery, returns, hours, contact }
}
