import { shop } from '#shared/shop.ts'

const { orderPrefix } = shop
const LEAD_IN_PATTERN = new RegExp(`^\\W*(ORDER)?\\W*(${orderPrefix}\\s*-)?`)
const ORDER_CODE_PATTERN = new RegExp(`^(?:${orderPrefix})?([0-9A-Z]{6})$`)

/** Parses an account number that a payer typed, such as `p 7k3m9q` for P-7K3M9Q. */
export function parseAccountReference(text: string): string | undefined {
  const characters = text
    .toUpperCase()
    .replace(LEAD_IN_PATTERN, '')
    .replace(/[^0-9A-Z]/g, '')
  const [, code] = ORDER_CODE_PATTERN.exec(characters) ?? []
  return code && `${orderPrefix}-${code}`
}
