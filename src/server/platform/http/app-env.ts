import type { RequestLogVariables } from '#server/platform/middleware/request-log.ts'
import type { NonceVariables } from '#server/platform/middleware/security-headers.ts'
import type { SessionVariables } from '#server/platform/middleware/session.ts'

export type AppEnv = {
  Variables: RequestLogVariables & NonceVariables & SessionVariables
}
