import * as z from 'zod/mini'
import {
  type AccessToken,
  type Answer,
  ask,
  isTurnedAway,
  within,
} from '#server/payments/providers/provider.ts'

/** The merchant's settings from Safaricom; docs/operating.md describes where to find each. */
export type DarajaSettings = {
  /** https://api.safaricom.co.ke, without a slash at the end. */
  base: string
  consumerKey: string
  consumerSecret: string
  passkey: string
  /** The paybill number, or the head office number of a till. */
  shortcode: string
  /** Set for Buy Goods: the till that receives the money. */
  till: string | undefined
  /** Who reverses payments; without both, refunds are made by hand. */
  initiator: { name: string; securityCredential: string } | undefined
}

/** Where the token is that all isolates share: Daraja ends the one before when it issues a new one. Neither rejects. */
export type TokenStore = {
  stored(): Promise<AccessToken | null>
  store(token: AccessToken): Promise<void>
}

export type DarajaDeps = {
  clock: () => number
  tokens: TokenStore
  background: (work: Promise<unknown>) => void
}

/** `refused`: Daraja rejected it and did nothing. `no_answer`: no usable answer; unknown whether it acted. */
export type DarajaAnswer<Data> =
  | { kind: 'answered'; data: Data }
  | { kind: 'refused'; code: string; message: string }
  | { kind: 'no_answer'; error: string }

const INVALID_TOKEN = '404.001.03'
/** Refused here, before anything was asked of M-Pesa: there is no token to ask with. */
export const NO_TOKEN = 'no_token'
/** Refused before anything was done, in words that are not Daraja's. */
export const TURNED_AWAY = 'turned_away'

const TOKEN_TIMEOUT_MS = 10_000
/** A shopper who waits to be prompted waits no longer for the token; the next attempt finds it stored. */
const TOKEN_FOR_PROMPT_MS = 1200
const CALL_TIMEOUT_MS = 25_000
/** A token this close to its end is not used any more. */
const TOKEN_MARGIN_MS = 60_000
/** East African time is three hours ahead of UTC all year. */
const EAST_AFRICA_MS = 3 * 3_600_000

const numberSchema = z.union([z.number(), z.pipe(z.string().check(z.regex(/^\d+$/)), z.transform(Number))])
const tokenSchema = z.object({ access_token: z.string().check(z.minLength(1)), expires_in: numberSchema })
const errorSchema = z.object({ errorCode: z.string(), errorMessage: z.optional(z.string()) })
const rejectionSchema = z.object({
  ResponseCode: z.string().check(z.regex(/[^0]/)),
  ResponseDescription: z.optional(z.string()),
})
const pushSchema = z.object({
  ResponseCode: z.literal('0'),
  CheckoutRequestID: z.string().check(z.minLength(1)),
})
const querySchema = z.object({
  ResultCode: z.optional(z.union([z.string(), z.pipe(z.number(), z.transform(String))])),
})
const reversalSchema = z.object({ ResponseCode: z.literal('0') })

export type PushRequest = {
  phone: string
  amountKsh: number
  /** What the shopper reads on the phone, at most 12 characters. */
  reference: string
  /** At most 13 characters. */
  description: string
  callbackUrl: string
  /** The token as it was stored a moment ago. */
  token: AccessToken | null
}

/** Daraja's calls (M-Pesa Express and reversal), each answer parsed. Nothing here rejects. */
export function darajaClient(settings: DarajaSettings, ctx: DarajaDeps) {
  const { base, shortcode, till, initiator } = settings

  let latest: AccessToken | null = null
  let fetching: Promise<AccessToken | { failure: string }> | undefined

  /** One at a time: each would end the one before. */
  function newToken(): Promise<AccessToken | { failure: string }> {
    if (fetching) return fetching
    const fetched = fetchToken().finally(() => {
      if (fetching === fetched) fetching = undefined
    })
    fetching = fetched
    // Others may be waiting for it when the request that began it is over.
    ctx.background(fetched)
    return fetched
  }

  async function fetchToken(): Promise<AccessToken | { failure: string }> {
    const credentials = btoa(`${settings.consumerKey}:${settings.consumerSecret}`)
    const answer = await ask({
      url: `${base}/oauth/v1/generate?grant_type=client_credentials`,
      method: 'GET',
      headers: { Authorization: `Basic ${credentials}` },
      timeoutMs: TOKEN_TIMEOUT_MS,
    })
    if ('failure' in answer) return answer
    const parsed = tokenSchema.safeParse(answer.body)
    if (!parsed.success) return { failure: `No token: ${textOf(answer)}` }
    const { access_token: value, expires_in } = parsed.data
    const token = { value, expiresAtMs: ctx.clock() + expires_in * 1000 }
    latest = token
    await ctx.tokens.store(token)
    return token
  }

  const usable = (token: AccessToken | null) =>
    token && token.expiresAtMs - TOKEN_MARGIN_MS > ctx.clock() ? token : undefined

  /** What another isolate has stored since, or a new one. */
  async function tokenAfter(refused: AccessToken): Promise<AccessToken | { failure: string }> {
    const stored = usable(await ctx.tokens.stored())
    return stored && stored.value !== refused.value ? stored : newToken()
  }

  /** `tokenWithinMs`: how long to wait for a token; without one in time the call is not made, then or later. */
  async function call<Data>(
    path: string,
    request: { json: object; known: AccessToken | null; refused?: AccessToken; tokenWithinMs?: number },
    schema: z.ZodMiniType<Data>,
  ): Promise<DarajaAnswer<Data>> {
    const { json, known, refused, tokenWithinMs = TOKEN_TIMEOUT_MS } = request
    const newest = (latest?.expiresAtMs ?? 0) > (known?.expiresAtMs ?? 0) ? latest : known
    const fetched = refused ? tokenAfter(refused) : (usable(newest) ?? newToken())
    const token = (await within(tokenWithinMs, Promise.resolve(fetched))) ?? tooLate()
    if ('failure' in token) return { kind: 'refused', code: NO_TOKEN, message: token.failure }
    const headers = { Authorization: `Bearer ${token.value}` }
    const answer = await ask({ url: base + path, headers, json, timeoutMs: CALL_TIMEOUT_MS })
    if ('failure' in answer) return { kind: 'no_answer', error: answer.failure }
    const error = errorSchema.safeParse(answer.body)
    if (error.success) {
      const { errorCode: code, errorMessage: message = '' } = error.data
      // Refused before it was looked at, so that it can be sent once again with another token.
      if (code === INVALID_TOKEN && !refused) return call(path, { ...request, refused: token }, schema)
      return { kind: 'refused', code, message }
    }
    const rejection = rejectionSchema.safeParse(answer.body)
    if (rejection.success) {
      const { ResponseCode: code, ResponseDescription: message = '' } = rejection.data
      return { kind: 'refused', code, message }
    }
    if (isTurnedAway(answer.status)) return { kind: 'refused', code: TURNED_AWAY, message: textOf(answer) }
    const data = schema.safeParse(answer.body)
    if (answer.status < 300 && data.success) return { kind: 'answered', data: data.data }
    return { kind: 'no_answer', error: `Unexpected answer: ${textOf(answer)}` }
  }

  /** The next call asks again, instead of waiting for the same answer. */
  function tooLate(): { failure: string } {
    fetching = undefined
    return { failure: 'No token in time.' }
  }

  function signature() {
    const timestamp = darajaTimestamp(ctx.clock())
    return {
      BusinessShortCode: shortcode,
      Password: btoa(`${shortcode}${settings.passkey}${timestamp}`),
      Timestamp: timestamp,
    }
  }

  return {
    canReverse: initiator !== undefined,

    /** Sends the prompt to the phone. No idempotency key exists: asked twice, the phone is prompted twice. */
    async push({ phone, amountKsh, reference, description, callbackUrl, token: known }: PushRequest) {
      const json = {
        ...signature(),
        TransactionType: till ? 'CustomerBuyGoodsOnline' : 'CustomerPayBillOnline',
        Amount: amountKsh,
        PartyA: phone,
        PartyB: till ?? shortcode,
        PhoneNumber: phone,
        CallBackURL: callbackUrl,
        AccountReference: reference,
        TransactionDesc: description,
      }
      const request = { json, known, tokenWithinMs: TOKEN_FOR_PROMPT_MS }
      return call('/mpesa/stkpush/v1/processrequest', request, pushSchema)
    },

    /** What became of a prompt; no `ResultCode` while nobody knows yet. */
    async query(checkoutRequestId: string, known: AccessToken | null) {
      const json = { ...signature(), CheckoutRequestID: checkoutRequestId }
      return call('/mpesa/stkpushquery/v1/query', { json, known }, querySchema)
    },

    /** Asks for a payment to be given back; the result comes to `callbackUrl`. */
    async reverse({
      receipt,
      amountKsh,
      remarks,
      callbackUrl,
      token: known,
    }: {
      receipt: string
      amountKsh: number
      remarks: string
      callbackUrl: string
      token: AccessToken | null
    }) {
      const json = {
        Initiator: initiator?.name,
        SecurityCredential: initiator?.securityCredential,
        CommandID: 'TransactionReversal',
        TransactionID: receipt,
        Amount: amountKsh,
        ReceiverParty: shortcode,
        // Safaricom's own spelling.
        RecieverIdentifierType: '11',
        ResultURL: callbackUrl,
        QueueTimeOutURL: callbackUrl,
        Remarks: remarks,
      }
      return call('/mpesa/reversal/v1/request', { json, known }, reversalSchema)
    },
  }
}

const textOf = ({ status, body }: Exclude<Answer, { failure: string }>) =>
  `${status} ${JSON.stringify(body) ?? 'without JSON'}`

/** A moment as Daraja wants it: `YYYYMMDDHHmmss` in East African time. */
export function darajaTimestamp(atMs: number): string {
  return new Date(atMs + EAST_AFRICA_MS).toISOString().replace(/\D/g, '').slice(0, 14)
}
