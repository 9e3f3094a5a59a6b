import { type Context, Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { HTTPException } from 'hono/http-exception'
import { METHOD_NAME_ALL } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'
import type { RouterRoute } from 'hono/types'
import { handleLogoutForm } from '#server/accounts/pages.ts'
import { accountRoutes, authRoutes, passwordResetRoutes } from '#server/accounts/routes.ts'
import { verifyEmailRoutes } from '#server/accounts/verify-email-routes.ts'
import { incomingRoutes } from '#server/books/routes.ts'
import { catalogueRoutes, photoRoutes } from '#server/catalogue/routes.ts'
import { seoRoutes } from '#server/catalogue/seo-routes.ts'
import { contactRoutes } from '#server/contact/routes.ts'
import { contentRoutes } from '#server/content/routes.ts'
import { downloadReceipt } from '#server/orders/pages.ts'
import { paymentRoutes } from '#server/orders/payment-routes.ts'
import { orderRoutes } from '#server/orders/routes.ts'
import { isOutage } from '#server/platform/db/client.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { respondWithError } from '#server/platform/http/errors.ts'
import { healthRoutes } from '#server/platform/http/health.ts'
import { requireHttps, requireSameOrigin } from '#server/platform/middleware/origin.ts'
import { requestLog } from '#server/platform/middleware/request-log.ts'
import { securityHeaders } from '#server/platform/middleware/security-headers.ts'
import { session } from '#server/platform/middleware/session.ts'
import { createPageCache } from '#server/platform/page-cache/page-cache.ts'
import { serveForms } from '#server/platform/pages/serve-forms.ts'
import { servePages } from '#server/platform/pages/serve-pages.ts'
import { serviceWorkerRoutes } from '#server/platform/pages/service-worker-route.ts'
import { promotionRoutes } from '#server/promotions/routes.ts'
import { reportRoutes, visitRoutes } from '#server/reports/routes.ts'
import { stockAlertRoutes } from '#server/stock/pages.ts'
import { stockRoutes } from '#server/stock/routes.ts'
import { errorDefinitions } from '#shared/errors.ts'
import { LOGOUT_PATH, matchRoute, routes } from '#shared/routes.ts'
import type { ServiceContext } from './context.ts'
import type { ConfigurationError } from './env.ts'
import { isFormPage } from './form-actions.ts'

/** Pass the cache if the caller responds from it before calling the app, as `worker.ts` does. */
export function createApp(ctx: ServiceContext, pageCache = createPageCache(ctx)): Hono<AppEnv> {
  // Hono's default router first tries RegExpRouter, which doesn't support all of these paths.
  const app = new Hono<AppEnv>({ router: new TrieRouter() })

  app.use(requestLog(ctx))
  app.use(securityHeaders(ctx))
  app.use(requireHttps(ctx))
  app.use(requireSameOrigin(ctx))
  app.use(session(ctx))
  app.use('/api/*', noStore)
  app.use('/v1/*', noStore)
  app.use('/api/orders/*', withContent(ctx))

  app.route('/api', healthRoutes(ctx))
  app.route('/api', authRoutes(ctx))
  app.route('/api', accountRoutes(ctx))
  app.route('/api', contactRoutes(ctx))
  app.route('/api', promotionRoutes(ctx))
  app.route('/api', stockRoutes(ctx))
  app.route('/api', visitRoutes(ctx))
  app.route('/api', orderRoutes(ctx))
  app.route('/api', paymentRoutes(ctx))
  app.route('/api', incomingRoutes(ctx))
  app.route('/', passwordResetRoutes(ctx))
  app.route('/', reportRoutes(ctx))
  app.all('/api/*', apiNotFound)
  app.all('/v1/*', apiNotFound)
  app.route('/', verifyEmailRoutes(ctx))
  app.route('/', stockAlertRoutes(ctx))

  app.route('/', seoRoutes(ctx))
  app.route('/', catalogueRoutes(ctx))
  app.route('/', photoRoutes(ctx))
  app.route('/', contentRoutes(ctx))
  app.route('/', serviceWorkerRoutes(ctx))
  app.get(`${routes.order.path}/receipt`, downloadReceipt(ctx))
  app.get('*', servePages(ctx, pageCache))
  app.post(LOGOUT_PATH, handleLogoutForm(ctx))
  app.post('*', serveForms(ctx))

  app.notFound(respondMethodNotAllowed)
  app.onError((error, c) => {
    // The JSON validator throws an HTTPException for malformed JSON.
    if (error instanceof HTTPException) return respondWithError(c, 'malformed_json')
    c.var.recordFailure(error)
    if (isOutage(error)) return respondWithError(c, 'unavailable')
    const message = `${errorDefinitions.internal.message} If it keeps happening, contact us and quote this reference: ${c.var.requestId}`
    return respondWithError(c, { code: 'internal', message })
  })

  function apiNotFound(c: Context) {
    const matchesPath = ({ path, method }: RouterRoute) =>
      method !== METHOD_NAME_ALL && toPathPattern(path).test(c.req.path)
    const methods = new Set(app.routes.filter(matchesPath).map(({ method }) => method))
    if (methods.size === 0) return respondWithError(c, 'not_found')
    c.header('Allow', [...methods].join(', '))
    return respondWithError(c, 'method_not_allowed')
  }

  return app
}

const noStore = createMiddleware(async function noStore(c, next) {
  await next()
  c.header('Cache-Control', 'no-store')
})

/** In a new isolate, the terms of cash on delivery are the default until the published content is loaded. */
function withContent({ content }: Pick<ServiceContext, 'content'>) {
  return createMiddleware(async function withContent(_c, next) {
    await content.load()
    await next()
  })
}

/** `/orders/:number` matches `/orders/P-7K3M9Q`. */
function toPathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\/:[^/]+/g, '/[^/]+')}$`)
}

function respondMethodNotAllowed(c: Context) {
  const { name } = matchRoute(c.req.path)
  if (name === 'notFound') return respondWithError(c, 'not_found')
  c.header('Allow', isFormPage(name) ? 'GET, HEAD, POST' : 'GET, HEAD')
  return respondWithError(c, 'method_not_allowed')
}

const RETRY_AFTER_SECONDS = 60

export function createUnconfiguredApp(
  error: ConfigurationError,
  ctx: Pick<ServiceContext, 'clock' | 'randomBytes' | 'log'>,
) {
  return new Hono()
    .use(requestLog(ctx))
    .use(securityHeaders({ config: { IMAGE_ORIGINS: [] }, randomBytes: ctx.randomBytes }))
    .all('*', (c) => {
      c.var.recordFailure(error.message)
      return respondWithError(c, { code: 'closed', retryAfterSeconds: RETRY_AFTER_SECONDS })
    })
}
