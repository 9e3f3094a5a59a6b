import type { RequestLogVariables } from './middleware/request-log.ts'
import type { NonceVariables } from './middleware/security-headers.ts'
import type { SessionVariables } from './middleware/session.ts'

/** The context of every handler: what the middleware of `app.ts` sets. */
export type AppEnv = {
  Variables: RequestLogVariables & NonceVariables & SessionVariables
}
