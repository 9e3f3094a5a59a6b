import * as z from 'zod/mini'
import { callProvider, isRejectedStatus } from '#server/payments/providers/call-provider.ts'
import type { AccessToken } from '#server/payments/providers/provider.ts'
import { createDarajaTokens, type DarajaContext, formatResponse } from './daraja-token.ts'
import type { DarajaSettings } from './settings.ts'

/** `rejected`: Daraja did nothing. `no_response`: Daraja may have acted. */
export type DarajaResult<Data> =
  | { kind: 'ok'; data: Data }
  | { kind: 'rejected'; code: string; message: string }
  | { kind: 'no_response'; error: string }

export const NO_TOKEN = 'no_token'
/** A gateway in front of Daraja rejected the request. */
export const GATEWAY_REJECTED = 'gateway_rejected'

const INVALID_TOKEN = '404.001.03'
const CALL_TIMEOUT_MS = 25_000

const errorSchema = z.object({ errorCode: z.string(), errorMessage: z.optional(z.string()) })
const rejectionSchema = z.object({
  ResponseCode: z.string().check(z.regex(/[^0]/)),
  ResponseDescription: z.optional(z.string()),
})

type DarajaRequest<Data> = {
  path: string
  json: object
  schema: z.ZodMiniType<Data>
  storedToken: AccessToken | null
  tokenWithinMs?: number
  /** The response code that means success, if it isn't 0. */
  successCode?: string
}

export function createDarajaCaller(settings: DarajaSettings, ctx: DarajaContext) {
  const tokens = createDarajaTokens(settings, ctx)

  return async function call<Data>(
    request: DarajaRequest<Data>,
    rejected?: AccessToken,
  ): Promise<DarajaResult<Data>> {
    const { path, json, schema, storedToken, tokenWithinMs: withinMs, successCode } = request
    const token = await tokens.get({ storedToken, rejected, withinMs })
    if ('failure' in token) return { kind: 'rejected', code: NO_TOKEN, message: token.failure }
    const response = await callProvider({
      url: settings.base + path,
      headers: { Authorization: `Bearer ${token.value}` },
      json,
      timeoutMs: CALL_TIMEOUT_MS,
    })
    if ('failure' in response) return { kind: 'no_response', error: response.failure }
    const error = errorSchema.safeParse(response.body)
    if (error.success) {
      const { errorCode: code, errorMessage: message = '' } = error.data
      // Daraja rejects such a request before processing it, so resending it with another token is safe.
      if (code === INVALID_TOKEN && !rejected) return call(request, token)
      return { kind: 'rejected', code, message }
    }
    const rejection = rejectionSchema.safeParse(response.body)
    if (rejection.success && rejection.data.ResponseCode !== successCode) {
      const { ResponseCode: code, ResponseDescription: message = '' } = rejection.data
      return { kind: 'rejected', code, message }
    }
    if (isRejectedStatus(response.status))
      return { kind: 'rejected', code: GATEWAY_REJECTED, message: formatResponse(response) }
    const data = schema.safeParse(response.body)
    if (response.status < 300 && data.success) return { kind: 'ok', data: data.data }
    return { kind: 'no_response', error: `Unexpected response: ${formatResponse(response)}` }
  }
}
