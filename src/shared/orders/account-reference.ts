import { shop } from '#shared/shop.ts'

const { orderPrefix } = shop
const LEAD_IN = new RegExp(`^\\W*(ORDER)?\\W*(${orderPrefix}\\s*-)?`)
const CODE = new RegExp(`^(?:${orderPrefix})?([0-9A-Z]{6})$`)

/** Finds an order number in what a payer typed: `p 7k3m9q` is P-7K3M9Q. */
export function parseAccountReference(text: string): string | undefined {
  const characters = text
    .toUpperCase()
    .replace(LEAD_IN, '')
    .replace(/[^0-9A-Z]/g, '')
  const [, code] = CODE.exec(characters) ?? []
  return code && `${orderPrefix}-${code}`
}
