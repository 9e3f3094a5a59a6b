import type { RequestLogVariables } from '#server/platform/middleware/request-log.ts'
import type { NonceVariables } from '#server/platform/middleware/security-headers.ts'
import type { SessionVariables } from '#server/platform/middleware/session.ts'

/** The context of every handler: what the middleware of `app.ts` sets. */
export type AppEnv = {
  Variables: RequestLogVariables & NonceVariables & SessionVariables
}
