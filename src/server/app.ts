import { type Context, Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { METHOD_NAME_ALL } from 'hono/router'
import type { RouterRoute } from 'hono/types'
import { errors } from '#shared/errors.ts'
import { LOGOUT_PATH, matchRoute } from '#shared/routes.ts'
import { answerError, isApiPath } from './api/answer.ts'
import { authApi } from './api/auth.ts'
import { contactApi } from './api/contact.ts'
import { healthApi } from './api/health.ts'
import { identityApi } from './api/identity.ts'
import { ordersApi } from './api/orders.ts'
import { promotionsApi } from './api/promotions.ts'
import { isOutage } from './db/failure.ts'
import type { Deps } from './deps.ts'
import { type LogVariables, logLine } from './middleware/log-line.ts'
import { noStore } from './middleware/no-store.ts'
import { type RequestIdVariables, requestId } from './middleware/request-id.ts'
import { sameOrigin } from './middleware/same-origin.ts'
import { type NonceVariables, securityHeaders } from './middleware/security-headers.ts'
import { type SessionVariables, session } from './middleware/session.ts'
import { isFormPage, serveForms } from './pages/form-post.ts'
import { keptAnswers } from './pages/kept-answers.ts'
import { logOutForm } from './pages/logout-form.ts'
import { servePages } from './pages/serve.ts'
import { webFiles } from './pages/web-files.ts'
import { errorPage } from './render/error-page.ts'

/** What every handler finds in its context. */
export type AppEnv = {
  Variables: RequestIdVariables & LogVariables & NonceVariables & SessionVariables
}

/** The whole Worker, read top to bottom: what a request meets, the API, the pages, and what happens on failure. */
export function createApp(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  const kept = keptAnswers(deps)

  app.use(requestId(deps))
  app.use(logLine(deps))
  app.use(securityHeaders(deps))
  app.use(sameOrigin(deps))
  app.use(session(deps))
  app.use('/api/*', noStore)
  app.use('/v1/*', noStore)

  app.route('/api', healthApi(deps))
  app.route('/api', authApi(deps))
  app.route('/api', contactApi(deps))
  app.route('/api', promotionsApi(deps))
  app.route('/api', ordersApi(deps))
  app.route('/', identityApi(deps))
  app.all('/api/*', refuseCall)
  app.all('/v1/*', refuseCall)

  app.route('/', webFiles(deps))
  app.get('*', servePages(deps, kept))
  app.post(LOGOUT_PATH, logOutForm(deps))
  app.post('*', serveForms(deps))

  app.notFound(refuseMethod)
  app.onError((error, c) => {
    if (error instanceof HTTPException) return answerError(c, 'malformed_json')
    c.var.fail(error)
    if (isOutage(error)) {
      if (isApiPath(c.req.path)) return answerError(c, 'unavailable')
      return c.html(errorPage('One moment, please', errors.unavailable.message), 503)
    }
    const message = `${errors.internal.message} If it stays so, tell us this number: ${c.var.requestId}`
    if (isApiPath(c.req.path)) return answerError(c, 'internal', { message })
    return c.html(errorPage('Something went wrong', message), 500)
  })

  /** A page's address, or none, with a method that shows no page. */
  function refuseMethod(c: Context) {
    const { name } = matchRoute(c.req.path)
    const code = name === 'notFound' ? 'not_found' : 'method_not_allowed'
    if (name !== 'notFound') c.header('Allow', isFormPage(name) ? 'GET, HEAD, POST' : 'GET, HEAD')
    return c.html(errorPage('That did not work', errors[code].message), errors[code].status)
  }

  /** Nothing is called so; or something is, but with another method. */
  function refuseCall(c: Context) {
    const isCalled = ({ path, method }: RouterRoute) => path === c.req.path && method !== METHOD_NAME_ALL
    const methods = new Set(app.routes.filter(isCalled).map(({ method }) => method))
    if (methods.size === 0) return answerError(c, 'not_found')
    c.header('Allow', [...methods].join(', '))
    return answerError(c, 'method_not_allowed')
  }

  // Before all of it: what is the same for everyone goes out before a router has looked at the request.
  const { fetch } = app
  app.fetch = (request, ...rest) => kept.atOnce(request) ?? fetch(request, ...rest)
  return app
}
