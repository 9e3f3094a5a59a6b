import { ROLES, type Role } from '#shared/team/roles.ts'

const EVERYONE: readonly Role[] = ROLES
const OWNER_ONLY: readonly Role[] = ['owner']

/**
 * The roles that may use each route and see links to it. The functions that change or read data check the role again.
 */
export const PERMISSIONS: Record<string, readonly Role[]> = {
  'GET /': EVERYONE,
  'GET /orders/:number': EVERYONE,
  'POST /orders/:number/status': EVERYONE,
  'POST /orders/:number/notes': EVERYONE,
  'GET /orders/:number/edit': OWNER_ONLY,
  'POST /orders/:number/edit': OWNER_ONLY,
  'GET /orders/:number/returns': OWNER_ONLY,
  'POST /orders/:number/returns': OWNER_ONLY,
  'GET /orders/:number/cancel': OWNER_ONLY,
  'GET /orders/:number/refund': OWNER_ONLY,
  'POST /orders/:number/refund': OWNER_ONLY,
  'POST /orders/:number/refund/retry': OWNER_ONLY,
  'POST /orders/:number/refunded': OWNER_ONLY,
  'POST /orders/:number/paid': OWNER_ONLY,
  'GET /orders/:number/invoice': OWNER_ONLY,
  'POST /orders/:number/pin': OWNER_ONLY,
  'POST /orders/:number/resolved': OWNER_ONLY,
  'GET /new-order': OWNER_ONLY,
  'POST /new-order': OWNER_ONLY,
  'GET /orders/:number/payment-link': OWNER_ONLY,
  'POST /orders/:number/payment-link': OWNER_ONLY,
  'POST /orders/:number/prompt': OWNER_ONLY,
  'GET /packing-slips': EVERYONE,

  'GET /stock': EVERYONE,
  'POST /stock': EVERYONE,
  'GET /stock/reservations': OWNER_ONLY,
  'POST /stock/reservations': OWNER_ONLY,

  'GET /catalogue': OWNER_ONLY,
  'GET /catalogue/Items.json': OWNER_ONLY,
  'GET /catalogue/csv': OWNER_ONLY,
  'GET /catalogue/categories': OWNER_ONLY,
  'POST /catalogue/categories': OWNER_ONLY,
  'POST /catalogue/move': OWNER_ONLY,
  'POST /catalogue/state': OWNER_ONLY,
  'POST /catalogue/bulk': OWNER_ONLY,
  'POST /catalogue/import': OWNER_ONLY,
  'POST /catalogue/discard': OWNER_ONLY,
  'GET /catalogue/products/:id': OWNER_ONLY,
  'POST /catalogue/products/:id': OWNER_ONLY,
  'POST /catalogue/products/:id/delete': OWNER_ONLY,
  'POST /catalogue/photos': OWNER_ONLY,
  'GET /catalogue/publish': OWNER_ONLY,
  'POST /catalogue/publish': OWNER_ONLY,
  'POST /catalogue/restore': OWNER_ONLY,
  'GET /catalogue/preview': OWNER_ONLY,
  'GET /catalogue/preview/*': OWNER_ONLY,

  'GET /content': OWNER_ONLY,
  'GET /content/:name': OWNER_ONLY,
  'POST /content/:name': OWNER_ONLY,
  'POST /content/:name/restore': OWNER_ONLY,
  'GET /share': OWNER_ONLY,

  'GET /messages': OWNER_ONLY,
  'POST /messages': OWNER_ONLY,
  'GET /returns': OWNER_ONLY,
  'GET /customers': OWNER_ONLY,
  'GET /customers/:id': OWNER_ONLY,
  'POST /customers/:id/notes': OWNER_ONLY,
  'POST /customers/:id/block': OWNER_ONLY,
  'POST /customers/:id/unblock': OWNER_ONLY,
  'GET /customers/:id/erase': OWNER_ONLY,
  'POST /customers/:id/erase': OWNER_ONLY,
  'GET /figures': OWNER_ONLY,
  'GET /figures/sales': OWNER_ONLY,
  'GET /exports': OWNER_ONLY,
  'GET /exports/file': OWNER_ONLY,
  'GET /more': EVERYONE,
  'GET /payments': OWNER_ONLY,
  'GET /invoice-details': OWNER_ONLY,
  'POST /invoice-details': OWNER_ONLY,
  'GET /reconciliation': OWNER_ONLY,
  'POST /reconciliation/close': OWNER_ONLY,
  'POST /reconciliation/withdrawal': OWNER_ONLY,
  'POST /reconciliation/statement': OWNER_ONLY,
  'GET /incoming': OWNER_ONLY,
  'GET /incoming/refund': OWNER_ONLY,
  'POST /incoming/assign': OWNER_ONLY,
  'POST /incoming/return': OWNER_ONLY,
  'POST /incoming/refund': OWNER_ONLY,
  'POST /incoming/register': OWNER_ONLY,
  'GET /promotions': OWNER_ONLY,
  'POST /promotions': OWNER_ONLY,
  'POST /promotions/end': OWNER_ONLY,
  'GET /emails': OWNER_ONLY,
  'POST /emails': OWNER_ONLY,
  'GET /audit': OWNER_ONLY,
  'GET /alerts': EVERYONE,
  'POST /alerts': EVERYONE,
  'POST /alerts/devices': EVERYONE,
  'POST /alerts/devices/remove': EVERYONE,
  'POST /alerts/test': EVERYONE,
  'GET /team': OWNER_ONLY,
  'POST /team': OWNER_ONLY,
  'POST /team/remove': OWNER_ONLY,

  'GET /favicon.ico': EVERYONE,
  'GET /manifest.webmanifest': EVERYONE,
  'GET /service-worker.js': EVERYONE,
  'GET /office.css': EVERYONE,
  'GET /office.js': EVERYONE,
  'GET /photos.js': OWNER_ONLY,
  'GET /*': EVERYONE,
}

/** Drops the content hash from a file's path. */
export function getPermissionKey({ method, path }: { method: string; path: string }): string {
  return `${method} ${path.replace(/-[0-9a-f]{10}(?=\.\w+$)/, '')}`
}

export function mayUse(role: Role, key: string): boolean {
  return (PERMISSIONS[key] ?? OWNER_ONLY).includes(role)
}
