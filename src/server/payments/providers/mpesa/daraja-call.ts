import * as z from 'zod/mini'
import { callProvider, isRejectedStatus } from '#server/payments/providers/call-provider.ts'
import type { AccessToken } from '#server/payments/providers/provider.ts'
import { type DarajaContext, darajaTokens, responseText } from './daraja-token.ts'
import type { DarajaSettings } from './settings.ts'

/** `refused`: Daraja did nothing. `no_answer`: no usable response; unknown whether Daraja acted. */
export type DarajaResult<Data> =
  | { kind: 'answered'; data: Data }
  | { kind: 'refused'; code: string; message: string }
  | { kind: 'no_answer'; error: string }

/** Refused before M-Pesa was called: there is no access token. */
export const NO_TOKEN = 'no_token'
/** Refused by a gateway in front of Daraja. */
export const TURNED_AWAY = 'turned_away'

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
  /** The access token, as it was just read from the database. */
  known: AccessToken | null
  /** How long to wait for a token; without one in time the call is not made. */
  tokenWithinMs?: number
}

/** Makes authorised calls to Daraja and maps its errors. Never rejects. */
export function darajaCaller(settings: DarajaSettings, ctx: DarajaContext) {
  const tokens = darajaTokens(settings, ctx)

  return async function call<Data>(
    request: DarajaRequest<Data>,
    rejected?: AccessToken,
  ): Promise<DarajaResult<Data>> {
    const { path, json, schema, known, tokenWithinMs: withinMs } = request
    const token = await tokens.get({ known, rejected, withinMs })
    if ('failure' in token) return { kind: 'refused', code: NO_TOKEN, message: token.failure }
    const response = await callProvider({
      url: settings.base + path,
      headers: { Authorization: `Bearer ${token.value}` },
      json,
      timeoutMs: CALL_TIMEOUT_MS,
    })
    if ('failure' in response) return { kind: 'no_answer', error: response.failure }
    const error = errorSchema.safeParse(response.body)
    if (error.success) {
      const { errorCode: code, errorMessage: message = '' } = error.data
      // Rejected before it was processed, so it is safe to send again with another token.
      if (code === INVALID_TOKEN && !rejected) return call(request, token)
      return { kind: 'refused', code, message }
    }
    const rejection = rejectionSchema.safeParse(response.body)
    if (rejection.success) {
      const { ResponseCode: code, ResponseDescription: message = '' } = rejection.data
      return { kind: 'refused', code, message }
    }
    if (isRejectedStatus(response.status))
      return { kind: 'refused', code: TURNED_AWAY, message: responseText(response) }
    const data = schema.safeParse(response.body)
    if (response.status < 300 && data.success) return { kind: 'answered', data: data.data }
    return { kind: 'no_answer', error: `Unexpected response: ${responseText(response)}` }
  }
}
