import { type ErrorCode, errorDefinitions } from '#shared/errors.ts'

export type ServiceError<Code extends ErrorCode = ErrorCode> = {
  code: Code
  message?: string
  fieldErrors?: Readonly<Record<string, string>>
  details?: Readonly<Record<string, unknown>>
  retryAfterSeconds?: number
}

/** Use it for expected failures. Exceptions are for bugs and outages. */
export type Result<Data, Failure extends { code: string } = ServiceError> =
  | { ok: true; data: Data }
  | { ok: false; error: Failure }

export function formatServiceError({ code, message, fieldErrors = {} }: ServiceError): string {
  const sentences = Object.values(fieldErrors).map((text) => (/[.!?]$/.test(text) ? text : `${text}.`))
  return sentences.join(' ') || (message ?? errorDefinitions[code].message)
}
