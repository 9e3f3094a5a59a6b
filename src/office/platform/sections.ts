export const sections = {
  orders: { path: '/', label: 'Orders' },
  stock: { path: '/stock', label: 'Stock' },
  messages: { path: '/messages', label: 'Messages' },
  figures: { path: '/figures', label: 'Figures' },
  more: { path: '/more', label: 'More' },
} as const satisfies Record<string, { path: string; label: string }>

export type SectionName = keyof typeof sections

export const RESERVATIONS_PATH = '/stock/reservations'
export const CATALOGUE_PATH = '/catalogue'
export const CATEGORIES_PATH = '/catalogue/categories'
export const PUBLISH_PATH = '/catalogue/publish'
export const CONTENT_PATH = '/content'
export const SHARE_PATH = '/share'
export const PREVIEW_PATH = '/catalogue/preview'

export function getProductPath(id: number | string): string {
  return `/catalogue/products/${id}`
}

export function getOrderPath(number: string): string {
  return `/orders/${encodeURIComponent(number)}`
}

export const RETURNS_PATH = '/returns'
export const CUSTOMERS_PATH = '/customers'

export function getCustomerPath(id: string): string {
  return `${CUSTOMERS_PATH}/${encodeURIComponent(id)}`
}

export function getOrderReturnsPath(number: string): string {
  return `${getOrderPath(number)}/returns`
}

export function getContentPath(name: string): string {
  return `${CONTENT_PATH}/${name}`
}
