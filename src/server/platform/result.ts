import type { ErrorCode } from '#shared/errors.ts'

/** Why a service did not do what it was asked to. `platform/http/errors.ts` turns it into a response. */
export type ServiceError<Code extends ErrorCode = ErrorCode> = {
  code: Code
  /** Replaces the code's own sentence. */
  message?: string
  /** Messages for the fields that are at fault, by field name. */
  fieldErrors?: Readonly<Record<string, string>>
  /** What the answer's body holds besides message and code: new totals, the earlier order. */
  details?: Readonly<Record<string, unknown>>
  retryAfterSeconds?: number
}

/** What a service returns that can fail as expected; exceptions are for bugs and outages. */
export type Result<Data, Failure extends { code: string } = ServiceError> =
  | { ok: true; data: Data }
  | { ok: false; error: Failure }
