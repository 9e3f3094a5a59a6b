/** What a payer may have typed as an order number: `p 7k3m9q` is P-7K3M9Q. Undefined if it can't be one. */
export function parseOrderNumber(text: string): string | undefined {
  const characters = text
    .toUpperCase()
    .replace(/^\W*(ORDER)?\W*(P\s*-)?/, '')
    .replace(/[^0-9A-Z]/g, '')
  const [, code] = /^P?([0-9A-Z]{6})$/.exec(characters) ?? []
  return code && `P-${code}`
}
