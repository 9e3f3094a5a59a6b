import * as z from 'zod/mini'
import { type AccessToken, TIMEOUT_PARAM } from '#server/payments/providers/provider.ts'
import { formatIsoDateTime, HOUR_MS } from '#shared/time.ts'
import { createDarajaCaller } from './daraja-call.ts'
import type { DarajaContext } from './daraja-token.ts'
import type { DarajaSettings } from './settings.ts'

/** A prompt waits this long for a token. If the token arrives later, the next attempt uses it. */
const PROMPT_TOKEN_TIMEOUT_MS = 1200
const UTC_PLUS_3_MS = 3 * HOUR_MS

const pushResponseSchema = z.object({
  ResponseCode: z.literal('0'),
  CheckoutRequestID: z.string().check(z.minLength(1)),
})
const queryResponseSchema = z.object({
  ResultCode: z.optional(z.union([z.string(), z.pipe(z.number(), z.transform(String))])),
})
const acceptedResponseSchema = z.object({ ResponseCode: z.literal('0') })

const PULL_SUCCESS = '1000'
const pullResponseSchema = z.object({
  ResponseCode: z.literal(PULL_SUCCESS),
  Response: z.array(z.array(z.unknown())),
})

type PushRequest = {
  phone: string
  amountKsh: number
  /** The phone shows this text. Daraja accepts at most 12 characters. */
  reference: string
  /** Daraja accepts at most 13 characters. */
  description: string
  callbackUrl: string
  token: AccessToken | null
}

type ReversalRequest = {
  receipt: string
  amountKsh: number
  remarks: string
  callbackUrl: string
  token: AccessToken | null
}

type UrlRegistration = { confirmationUrl: string; validationUrl: string; token: AccessToken | null }

type PullRequest = { startMs: number; endMs: number; offset: number; token: AccessToken | null }

type PayoutRequest = {
  /** M-Pesa rejects a second request with the same id. */
  conversationId: string
  phone: string
  amountKsh: number
  remarks: string
  callbackUrl: string
  token: AccessToken | null
}

export type DarajaClient = ReturnType<typeof createDarajaClient>

/** The methods return failures instead of rejecting. */
export function createDarajaClient(settings: DarajaSettings, ctx: DarajaContext) {
  const { shortcode, till, initiator, disbursementShortcode } = settings
  const call = createDarajaCaller(settings, ctx)

  function createCredentials() {
    const timestamp = formatDarajaTimestamp(ctx.clock())
    return {
      BusinessShortCode: shortcode,
      Password: btoa(`${shortcode}${settings.passkey}${timestamp}`),
      Timestamp: timestamp,
    }
  }

  return {
    canReverse: initiator !== undefined,
    canPayOut: initiator !== undefined && disbursementShortcode !== undefined,

    /** A second call can prompt the phone a second time. */
    async push({ phone, amountKsh, reference, description, callbackUrl, token }: PushRequest) {
      return call({
        path: '/mpesa/stkpush/v1/processrequest',
        json: {
          ...createCredentials(),
          TransactionType: till ? 'CustomerBuyGoodsOnline' : 'CustomerPayBillOnline',
          Amount: amountKsh,
          PartyA: phone,
          PartyB: till ?? shortcode,
          PhoneNumber: phone,
          CallBackURL: callbackUrl,
          AccountReference: reference,
          TransactionDesc: description,
        },
        schema: pushResponseSchema,
        storedToken: token,
        tokenWithinMs: PROMPT_TOKEN_TIMEOUT_MS,
      })
    },

    async query(checkoutRequestId: string, token: AccessToken | null) {
      return call({
        path: '/mpesa/stkpushquery/v1/query',
        json: { ...createCredentials(), CheckoutRequestID: checkoutRequestId },
        schema: queryResponseSchema,
        storedToken: token,
      })
    },

    async reverse({ receipt, amountKsh, remarks, callbackUrl, token }: ReversalRequest) {
      return call({
        path: '/mpesa/reversal/v1/request',
        json: {
          Initiator: initiator?.name,
          SecurityCredential: initiator?.securityCredential,
          CommandID: 'TransactionReversal',
          TransactionID: receipt,
          Amount: amountKsh,
          ReceiverParty: shortcode,
          // The misspelling is Daraja's.
          RecieverIdentifierType: '11',
          ResultURL: callbackUrl,
          QueueTimeOutURL: callbackUrl,
          Remarks: remarks,
        },
        schema: acceptedResponseSchema,
        storedToken: token,
      })
    },

    async payOut({ conversationId, phone, amountKsh, remarks, callbackUrl, token }: PayoutRequest) {
      return call({
        path: '/mpesa/b2c/v3/paymentrequest',
        json: {
          OriginatorConversationID: conversationId,
          InitiatorName: initiator?.name,
          SecurityCredential: initiator?.securityCredential,
          CommandID: 'BusinessPayment',
          Amount: amountKsh,
          PartyA: disbursementShortcode,
          PartyB: phone,
          Remarks: remarks,
          QueueTimeOutURL: `${callbackUrl}?${TIMEOUT_PARAM}`,
          ResultURL: callbackUrl,
        },
        schema: acceptedResponseSchema,
        storedToken: token,
      })
    },

    async registerUrls({ confirmationUrl, validationUrl, token }: UrlRegistration) {
      return call({
        path: '/mpesa/c2b/v2/registerurl',
        json: {
          ShortCode: shortcode,
          // With `Completed`, M-Pesa accepts payments even if it can't reach the shop; a pull can find them later.
          ResponseType: 'Completed',
          ConfirmationURL: confirmationUrl,
          ValidationURL: validationUrl,
        },
        schema: z.object({}),
        storedToken: token,
      })
    },

    async registerPull(callbackUrl: string, nominatedNumber: string, token: AccessToken | null) {
      return call({
        path: '/pulltransactions/v1/register',
        json: {
          ShortCode: shortcode,
          RequestType: 'Pull',
          NominatedNumber: nominatedNumber,
          CallBackURL: callbackUrl,
        },
        schema: z.object({}),
        storedToken: token,
        successCode: PULL_SUCCESS,
      })
    },

    async pull({ startMs, endMs, offset, token }: PullRequest) {
      return call({
        path: '/pulltransactions/v1/query',
        json: {
          ShortCode: shortcode,
          StartDate: formatIsoDateTime(startMs),
          EndDate: formatIsoDateTime(endMs),
          OffSetValue: String(offset),
        },
        schema: pullResponseSchema,
        storedToken: token,
        successCode: PULL_SUCCESS,
      })
    },
  }
}

/** Returns a time as `YYYYMMDDHHmmss` in East Africa Time. */
export function formatDarajaTimestamp(atMs: number): string {
  return new Date(atMs + UTC_PLUS_3_MS).toISOString().replace(/\D/g, '').slice(0, 14)
}
