import { shop } from './shop.ts'

/** Formats an amount as § 2 specifies for prices, the cart and the checkout form: `KSH 1250`. */
export function formatKsh(amountKsh: number): string {
  return `${shop.currency} ${formatAmount(amountKsh)}`
}

/** Omits the currency: `1250` or `99.50`. */
export function formatAmount(amountKsh: number): string {
  return amountKsh.toFixed(2).replace('.00', '')
}

export function parseKsh(text: string): number {
  return Number(text.slice(formatKsh(0).length - 1))
}

/** The lengths of truncated texts (§ 9). */
export const SHOP_TITLE_CHARACTERS = 12
export const SHOP_DESCRIPTION_CHARACTERS = 90
export const CAROUSEL_TITLE_CHARACTERS = 15
export const CART_DESCRIPTION_CHARACTERS = 100

const ELLIPSIS = '…'

/** Counts code points, so it never splits a surrogate pair. */
export function truncate(text: string, length: number, ellipsis = ELLIPSIS): string {
  const truncated = takeFirstCharacters(text, length)
  return truncated === text ? text : truncated + ellipsis
}

export function takeFirstCharacters(text: string, length: number): string {
  return text.length <= length ? text : Array.from(text).slice(0, length).join('')
}

export function formatNameWithSize(title: string, size: string | null | undefined): string {
  return size ? `${title}, ${size}` : title
}

const AMOUNT_SPACES = new RegExp(`(${shop.currency}(?= \\d)|\\d(?= (?:[ap]m|months|years)\\b)) `, 'gi')

/** Keeps `KSH 3,074`, `9 am` and `2–3 years` on one line. */
export function keepAmountsUnbroken(text: string): string {
  return text.replace(AMOUNT_SPACES, '$1\u00a0').replace(/(\d–)(?=\d)/g, '$1\u2060')
}

export function formatStock(left: number): string {
  return left > 0 ? `Only ${left} left` : 'Sold out'
}

export function formatOutOfStock(title: string, left: number): string {
  return left <= 0 ? `We’re sold out of ${title}.` : `${title}: only ${left} left.`
}

export const CENTS_PER_KSH = 100

export function kshToCents(priceKsh: number): number {
  return Math.round(priceKsh * CENTS_PER_KSH)
}

/** Rounds cents down to whole shillings. */
export function floorToKsh(cents: number): number {
  return Math.floor(cents / CENTS_PER_KSH) * CENTS_PER_KSH
}

export function centsToKsh(cents: number): number {
  return cents / CENTS_PER_KSH
}

/**
 * Formats a number as `31,610` or `1,099.50`, without `Intl`, whose first use blocks a page for longer than its
 * hydration does.
 */
export function formatNumber(value: number): string {
  return formatAmount(value).replace(/\B(?=(\d{3})+\b)/g, ',')
}

/**
 * Formats an amount as `KSH 31,610`, `KSH 99.50` or `−KSH 50`. For the places that § 2 specifies, use {@link
 * formatKsh}.
 */
export function formatMoney(cents: number): string {
  return `${cents < 0 ? '−' : ''}${shop.currency} ${formatNumber(Math.abs(cents) / CENTS_PER_KSH)}`
}

/** Formats an amount as {@link formatMoney} does, on one line. */
export function formatUnbrokenKsh(priceKsh: number): string {
  return keepAmountsUnbroken(formatMoney(kshToCents(priceKsh)))
}

/** Joins texts as `Nairobi, Kiambu and Mombasa`. */
export function formatList(texts: readonly string[]): string {
  const last = texts.at(-1) ?? ''
  return texts.length > 1 ? `${texts.slice(0, -1).join(', ')} and ${last}` : last
}
