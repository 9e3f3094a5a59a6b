import type { User } from '#shared/contract/auth.ts'
import type { ErrorCode } from '#shared/errors.ts'
import type { SessionCookie } from '../../auth/cookie.ts'

/** What login and registration lead to. */
export type SignedIn = { kind: 'signed-in'; user: User; token: string; cookie: SessionCookie }

/** Why they lead nowhere. */
export type Refused<Code extends ErrorCode> = { kind: 'refused'; code: Code }
