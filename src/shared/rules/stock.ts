/** "Only 2 left" is shown from here down. */
export const FEW_UNITS = 3

/** What is shown of an item's stock; undefined where there is enough, or where it is made to order. */
export function stockText(left: number | undefined): string | undefined {
  if (left === undefined || left > FEW_UNITS) return undefined
  return left <= 0 ? 'Sold out' : `Only ${left} left`
}

/** What a shopper is told who wants more of an item than there is. */
export function outOfStockText(title: string, left: number): string {
  return left <= 0 ? `${title} is sold out.` : `Only ${left} of ${title} ${left === 1 ? 'is' : 'are'} left.`
}
