import { createMiddleware } from 'hono/factory'
import { matchedRoutes } from 'hono/route'
import { METHOD_NAME_ALL } from 'hono/router'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { recordAccessRefusal } from '#server/platform/db/audit.ts'
import { renderErrorPage } from './layout.tsx'
import { getPermissionKey, mayUse } from './permissions.ts'

export function requireRole(ctx: OfficeContext) {
  return createMiddleware<OfficeEnv>(async function requireRole(c, next) {
    const route = matchedRoutes(c).find(({ method }) => method !== METHOD_NAME_ALL)
    const { email, role } = c.var.identity
    if (!route || mayUse(role, getPermissionKey(route))) return next()
    await recordAccessRefusal({ email, subject: `${c.req.method} ${c.req.path}` }, ctx)
    return renderErrorPage(c, 403, NOT_PERMITTED_MESSAGE)
  })
}

export const NOT_PERMITTED_MESSAGE = 'Your role doesn’t include this. If you need it, ask the shop’s owner.'
