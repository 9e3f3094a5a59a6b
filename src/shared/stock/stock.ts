export function outOfStockText(title: string, left: number): string {
  return left <= 0 ? `${title} is sold out.` : `Only ${left} of ${title} ${left === 1 ? 'is' : 'are'} left.`
}
