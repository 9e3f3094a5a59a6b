import { RETURN_KINDS, RETURN_REASONS } from './returns.ts'

export const RETURN_KIND_FIELD = 'returnKind'

/** The field that chooses how an exchange's replacements reach the shopper. */
export const EXCHANGE_DELIVERY_FIELD = 'exchangeDelivery'

/** The field of a form that cancels a return request. Its value is the return's id. */
export const CANCEL_RETURN_FIELD = 'cancelReturn'

/** Whether a posted form with these fields is about returns. Radio buttons aren't posted unless one is checked. */
export function isReturnForm(names: readonly string[]): boolean {
  return names.includes('returnNote') || names.includes(CANCEL_RETURN_FIELD)
}

/** The id of the section of an order's page that contains the form. */
export const RETURNS_ID = 'returns'

/** The id of the form's first paragraph. A link to it opens the form's `<details>`. */
export const RETURN_REQUEST_ID = 'return-request'

/** The id of the newest return in that section. */
export const LATEST_RETURN_ID = 'latest-return'

/** Returns the id of the return at this index of `count` returns, which are listed newest first. */
export function getReturnElementId(index: number, count: number): string {
  return index === 0 ? LATEST_RETURN_ID : `return-${count - index}`
}

/** The id of the first invalid field or, if no field is invalid, of the form's error. */
export const RETURN_ERROR_ID = 'return-error'

type Fields = ((name: string) => string) & { names: readonly string[] }

/**
 * Parses the lines of a posted return form: `line-0` names an item and its price, `qty-0` the units returned. `qty` is
 * NaN if it isn't a whole number.
 */
export function parseReturnLines(field: Fields) {
  return listIndexes(field, 'qty').flatMap((index) => {
    const [productId, unitPriceCents] = field(`line-${index}`).split('-').map(Number)
    const text = field(`qty-${index}`).trim()
    const qty = /^\d*$/.test(text) ? Number(text) : Number.NaN
    const isLine = Number.isSafeInteger(productId) && Number.isSafeInteger(unitPriceCents)
    return productId !== undefined && unitPriceCents !== undefined && isLine && qty !== 0
      ? [{ productId, unitPriceCents, qty, index }]
      : []
  })
}

export function parseReplacementId(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined
}

export function parseReturnKind(text: string) {
  return RETURN_KINDS.find((kind) => kind === text)
}

export function parseReturnReason(text: string) {
  return RETURN_REASONS.find((reason) => reason === text)
}

export function listIndexes({ names }: Pick<Fields, 'names'>, name: string): number[] {
  return names.flatMap((fieldName) => {
    const index = fieldName.startsWith(`${name}-`) ? fieldName.slice(name.length + 1) : ''
    return /^\d{1,3}$/.test(index) ? [Number(index)] : []
  })
}
