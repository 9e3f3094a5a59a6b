/** A price for people, to the letter of § 2: `KSH 1250`. Takes KSH. */
export function formatKsh(amountKsh: number): string {
  return `KSH ${formatAmount(amountKsh)}`
}

/** The number alone, with two digits of cents if there are any: `1250`, `99.50`. Takes KSH. */
export function formatAmount(amountKsh: number): string {
  return amountKsh.toFixed(2).replace('.00', '')
}

/** The amount in a text that {@link formatKsh} made. In KSH. */
export function parseKsh(text: string): number {
  return Number(text.slice(formatKsh(0).length - 1))
}

/** Lengths of cut texts, in characters (§ 9). */
export const SHOP_TITLE_CHARACTERS = 12
export const SHOP_DESCRIPTION_CHARACTERS = 90
export const CAROUSEL_TITLE_CHARACTERS = 15
export const CART_DESCRIPTION_CHARACTERS = 100

const ELLIPSIS = '…'

/** The first `length` characters and an ellipsis; the text itself when nothing is cut. Never splits a surrogate pair. */
export function truncate(text: string, length: number, ellipsis = ELLIPSIS): string {
  const cut = firstCharacters(text, length)
  return cut === text ? text : cut + ellipsis
}

/** The first `length` characters, counted as {@link truncate} does: a surrogate pair is one. */
export function firstCharacters(text: string, length: number): string {
  return text.length <= length ? text : Array.from(text).slice(0, length).join('')
}

/** A product's name with the size that was chosen: `Kikoi Wrap Dress, M`; the title alone where it comes in no sizes. */
export function nameWithSize(title: string, size: string | null | undefined): string {
  return size ? `${title}, ${size}` : title
}

/** What is said of an item of which there are few, or none. */
export function stockText(left: number): string {
  return left > 0 ? `Only ${left} left` : 'Sold out'
}

/** Cents in a KSH. */
export const CENTS = 100

/** Cents to KSH, for showing them with `formatKsh`. */
export function centsToKsh(cents: number): number {
  return cents / CENTS
}

/** An amount of cents as `KSH 1250`, negative ones with a minus sign in front: `−KSH 50`. */
export function formatMoney(cents: number): string {
  return formatKsh(centsToKsh(cents)).replace('KSH -', '−KSH ')
}
