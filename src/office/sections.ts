/** The sections of the office, in the order of their tabs. */
export const sections = {
  orders: { path: '/', label: 'Orders' },
  stock: { path: '/stock', label: 'Stock' },
  messages: { path: '/messages', label: 'Messages' },
  figures: { path: '/figures', label: 'Figures' },
  more: { path: '/more', label: 'More' },
} as const satisfies Record<string, { path: string; label: string }>

export type SectionName = keyof typeof sections

/** The page of an order. */
export function orderPath(number: string): string {
  return `/orders/${encodeURIComponent(number)}`
}
