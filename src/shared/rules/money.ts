/** A price for people, to the letter of § 2: `KSH 1250`. Takes KSH. */
export function formatKsh(amountKsh: number): string {
  return `KSH ${formatAmount(amountKsh)}`
}

/** The figure alone, with cents only where there are some: `1250`, `99.5`. Takes KSH. */
export function formatAmount(amountKsh: number): string {
  return String(Math.round(amountKsh * 100) / 100)
}

/** The amount in a text that {@link formatKsh} made. In KSH. */
export function amountInKsh(text: string): number {
  return Number(text.slice(formatKsh(0).length - 1))
}
