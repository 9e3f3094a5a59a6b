import type { SearchWordRow } from '#shared/catalogue/search-words.ts'

export type RichText = readonly RichTextNode[]
/** Only links have `href`. */
export type RichTextNode = string | readonly [tag: RichTextTag, children: RichText, href?: string]
export const RICH_TEXT_TAGS = ['p', 'ul', 'ol', 'li', 'strong', 'em', 'br', 'a'] as const
export type RichTextTag = (typeof RICH_TEXT_TAGS)[number]

/** Returns whether a URL is a web, email or phone link, a path of the shop, or a hash. */
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
  /** The digits of the number, starting with the country code. */
  whatsapp: string
  social: string
  code: string
  calendar: string
}

/** The content of `/content.json`, which the browser needs to render pages. */
export type PageContent = Readonly<Record<TextName, RichText>> & {
  contact: ContactDetails
  /** The ids of the dashboard's products. If the shop sells none of them, the dashboard chooses by category (§ 7). */
  featured: readonly number[]
  searchWords: readonly SearchWordRow[]
}

export type AboutView = Pick<PageContent, 'story' | 'philosophy' | 'sizes' | 'privacy'>

export function createAboutView({ story, philosophy, sizes, privacy }: PageContent): AboutView {
  return { story, philosophy, sizes, privacy }
}

export type ContactTexts = Pick<PageContent, 'delivery' | 'returns' | 'hours' | 'contact'>

export function getContactTexts({ delivery, returns, hours, contact }: PageContent): ContactTexts {
  return { delivery, returns, hours, contact }
}
