import { ROLES, type Role } from '#shared/team/roles.ts'

const everyone: readonly Role[] = ROLES
const owner: readonly Role[] = ['owner']

/**
 * The roles that may use each route and see links to it; a test fails until a route is listed. Use cases and queries check the role
 * again: changes by their audited action (`PACKER_ACTIONS`), owner-only queries by their `OwnerContext`.
 */
export const PERMISSIONS: Record<string, readonly Role[]> = {
  'GET /': everyone,
  'GET /orders/:number': everyone,
  'POST /orders/:number/status': everyone,
  'POST /orders/:number/notes': everyone,
  'GET /orders/:number/edit': owner,
  'POST /orders/:number/edit': owner,
  'GET /orders/:number/returns': owner,
  'POST /orders/:number/returns': owner,
  'GET /orders/:number/cancel': owner,
  'GET /orders/:number/refund': owner,
  'POST /orders/:number/refund': owner,
  'POST /orders/:number/refund/retry': owner,
  'POST /orders/:number/refunded': owner,
  'POST /orders/:number/paid': owner,
  'GET /orders/:number/invoice': owner,
  'POST /orders/:number/pin': owner,
  'POST /orders/:number/resolved': owner,
  'GET /new-order': owner,
  'POST /new-order': owner,
  'GET /orders/:number/payment-link': owner,
  'POST /orders/:number/payment-link': owner,
  'POST /orders/:number/prompt': owner,
  'GET /packing-slips': everyone,

  'GET /stock': everyone,
  'POST /stock': everyone,
  'GET /stock/reservations': owner,
  'POST /stock/reservations': owner,

  'GET /catalogue': owner,
  'GET /catalogue/Items.json': owner,
  'GET /catalogue/csv': owner,
  'GET /catalogue/categories': owner,
  'POST /catalogue/categories': owner,
  'POST /catalogue/move': owner,
  'POST /catalogue/state': owner,
  'POST /catalogue/bulk': owner,
  'POST /catalogue/import': owner,
  'POST /catalogue/discard': owner,
  'GET /catalogue/products/:id': owner,
  'POST /catalogue/products/:id': owner,
  'POST /catalogue/products/:id/delete': owner,
  'POST /catalogue/photos': owner,
  'GET /catalogue/publish': owner,
  'POST /catalogue/publish': owner,
  'POST /catalogue/restore': owner,
  'GET /catalogue/see': owner,
  'GET /catalogue/see/*': owner,

  'GET /content': owner,
  'GET /content/:name': owner,
  'POST /content/:name': owner,
  'POST /content/:name/restore': owner,
  'GET /share': owner,

  'GET /messages': owner,
  'POST /messages': owner,
  'GET /returns': owner,
  'GET /customers': owner,
  'GET /customers/:id': owner,
  'POST /customers/:id/notes': owner,
  'POST /customers/:id/block': owner,
  'POST /customers/:id/unblock': owner,
  'GET /customers/:id/erase': owner,
  'POST /customers/:id/erase': owner,
  'GET /figures': owner,
  'GET /figures/sales': owner,
  'GET /exports': owner,
  'GET /exports/file': owner,
  'GET /more': everyone,
  'GET /payments': owner,
  'GET /invoice-details': owner,
  'POST /invoice-details': owner,
  'GET /reconciliation': owner,
  'POST /reconciliation/close': owner,
  'POST /reconciliation/withdrawal': owner,
  'POST /reconciliation/statement': owner,
  'GET /incoming': owner,
  'POST /incoming/assign': owner,
  'POST /incoming/return': owner,
  'POST /incoming/refund': owner,
  'POST /incoming/register': owner,
  'GET /promotions': owner,
  'POST /promotions': owner,
  'POST /promotions/end': owner,
  'GET /emails': owner,
  'POST /emails': owner,
  'GET /audit': owner,
  'GET /alerts': everyone,
  'POST /alerts': everyone,
  'POST /alerts/devices': everyone,
  'POST /alerts/devices/remove': everyone,
  'POST /alerts/test': everyone,
  'GET /team': owner,
  'POST /team': owner,
  'POST /team/remove': owner,

  'GET /favicon.ico': everyone,
  'GET /manifest.webmanifest': everyone,
  'GET /service-worker.js': everyone,
  'GET /office.css': everyone,
  'GET /office.js': everyone,
  'GET /photos.js': owner,
  'GET /*': everyone,
}

/** A route's key in {@link PERMISSIONS}: its method and path as routed, without a hash. */
export function permissionKey({ method, path }: { method: string; path: string }): string {
  return `${method} ${path.replace(/-[0-9a-f]{10}(?=\.\w+$)/, '')}`
}

export function mayUse(role: Role, key: string): boolean {
  return (PERMISSIONS[key] ?? owner).includes(role)
}
