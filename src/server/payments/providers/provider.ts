import type { PaymentProblem } from '#shared/payments/payment.ts'
import type { PaymentMethod, PaymentProviderName } from '#shared/payments/providers.ts'

export type AccessToken = { value: string; expiresAtMs: number }

export type PaymentAttempt = {
  id: string
  orderNumber: string
  amountCents: number
  email: string
  /** The phone for the `prompt` flow, as 254XXXXXXXXX. */
  phone: string | null
  /** The provider's id for the attempt. Null until the provider's response or callback contains it. */
  reference: string | null
  token: AccessToken | null
}

export type AttemptUrls = { callbackUrl: string; returnUrl: string }

export type SettledPayment = PaymentAttempt & {
  receipt: string | null
}

export type RefundRequest = {
  payment: SettledPayment
  amountCents: number
  /** Changes only after the provider has said that no money moved. */
  reference: string
  /** Whether an earlier request with this reference may have reached the provider. */
  isRetry: boolean
  /** Whether it is the first request since the operator restarted the refund. */
  isRestart?: boolean
}

export type SettledResult = { outcome: 'settled'; reference: string; receipt: string | null }
/** The shopper hasn't paid, or the provider has refunded them. `error` is the provider's message for the log. */
export type DeclinedResult = { outcome: 'declined'; problem: PaymentProblem; error?: string }
/** The shopper has to approve the prompt on their phone, or pay at `redirectTo`. */
export type PendingResult = { outcome: 'pending'; reference: string; redirectTo?: string }
/** It isn't known whether the shopper paid the amount due. `amount_differs`: they paid a different amount. */
export type UnknownResult = { outcome: 'unknown'; error: string; problem?: 'amount_differs' }

export type OnDeliveryResult = { outcome: 'on_delivery'; reference: string }

export type PaymentStartResult =
  | SettledResult
  | DeclinedResult
  | PendingResult
  | OnDeliveryResult
  | UnknownResult
export type PaymentQueryResult =
  | SettledResult
  | DeclinedResult
  | { outcome: 'pending' }
  | OnDeliveryResult
  | UnknownResult

/**
 * `requested`: the result follows by webhook. `by_hand`: the operator has to make the refund. `isFinal`: no money
 * moved, so a new reference is safe.
 */
export type RefundResult =
  | { outcome: 'done' /** The refund's own number in the provider's statement. */; receipt?: string }
  | { outcome: 'requested' }
  | { outcome: 'by_hand'; error: string }
  | { outcome: 'failed'; error: string; isFinal?: boolean }

/** The provider calls the callback URL with this parameter when it gives up on a request. */
export const TIMEOUT_PARAM = 'timeout'

export type WebhookRequest = {
  rawBody: string
  body: unknown
  header: (name: string) => string
  /** Whether the URL has {@link TIMEOUT_PARAM}. */
  isTimeout: boolean
}

/** `attemptId` is null if the webhook's URL identifies the attempt. */
type AttemptEvent = { attemptId: string | null }

/**
 * Verify a `payment` with `queryPayment`, because `paid` is only a claim. After `refund_changed`, query all
 * refunds of the attempt. `invalid`: forged or malformed.
 */
export type WebhookEvent =
  | (AttemptEvent & {
      kind: 'payment'
      reference: string | null
      paid: { receipt: string | null; amountKsh: number | null } | null
    })
  | (AttemptEvent & {
      kind: 'refund'
      amountCents: number | null
      result: RefundResult
    })
  | (AttemptEvent & { kind: 'refund_changed' })
  | { kind: 'ignored' }
  | { kind: 'invalid' }

export type ProviderWebhook = {
  /**
   * `provider`: all events go to `/api/payments/<name>`. `attempt`: each attempt and refund has its own `callbackUrl`.
   */
  url: 'provider' | 'attempt'
  acknowledgement: Readonly<Record<string, unknown>>
}

/** A payment that the provider received, even if the shop didn't request it. */
export type IncomingPayment = {
  receipt: string
  amountCents: number
  paidAtMs: number
  /** The account number of a paybill payment, such as an order number. */
  account: string | null
  /** Name and phone number, as far as the provider shows them. */
  payer: string | null
}

type IncomingResult<Data> = { ok: true; data: Data } | { ok: false; error: string }

/** Reports all payments that the provider received. The methods return failures instead of rejecting. */
export type IncomingPaymentSource = {
  instructions(order: { number: string; amount: string }): string
  /** Some providers allow this only once. */
  register(
    urls: { confirmationUrl: string; validationUrl: string },
    token: AccessToken | null,
  ): Promise<IncomingResult<undefined>>
  /** Confirmations are unverified, because anyone who knows the URL can send one. */
  parseConfirmation(body: unknown): IncomingPayment | undefined
  /**
   * Lists the period's payments, oldest first, from the last 48 hours at most. Unlike confirmations, listed payments
   * are verified. `isPartial` means that the period has more payments.
   */
  list(
    period: { startMs: number; endMs: number },
    token: AccessToken | null,
  ): Promise<IncomingResult<IncomingPayment[]> & { isPartial?: boolean }>
}

/** The methods report a provider's failure as an outcome instead of rejecting. */
export type PaymentProvider = {
  name: PaymentProviderName
  /** Whether calling `startPayment` again for the same attempt is safe and returns the same result. */
  isRepeatable: boolean
  startPayment(attempt: PaymentAttempt, urls: AttemptUrls): Promise<PaymentStartResult>
  /** A callback doesn't settle an attempt without this query. */
  queryPayment(attempt: PaymentAttempt): Promise<PaymentQueryResult>
  /** Repeating the call with the same reference refunds at most once. */
  refund(refund: RefundRequest, urls: Pick<AttemptUrls, 'callbackUrl'>): Promise<RefundResult>
  /**
   * Needed if the provider's events don't identify the refund. Resolves to undefined if the refund was never requested.
   */
  queryRefund?(refund: RefundRequest): Promise<RefundResult | undefined>
  webhook: ProviderWebhook | null
  incoming?: IncomingPaymentSource
  parseWebhook(request: WebhookRequest): Promise<WebhookEvent>
}

export type WaitingAttempt = {
  amount: string
  phone: string | null
  redirectTo: string | null
  isUnknown: boolean
  ageMs: number
}

/** Each text says whether money moved. */
export type ProviderMessages = {
  problems: Partial<Record<PaymentProblem, string>> & { declined: string }
  waiting: (attempt: WaitingAttempt) => string
}

export type Payments = {
  /** The methods of the `PAYMENTS` setting, in the order that checkout offers them. */
  methods: readonly PaymentMethod[]
  providers: readonly PaymentProvider[]
}

export type PaymentLogLine = {
  level: 'error'
  at: string
  payment: string
  order: string
  provider: PaymentProviderName
  outcome: 'declined' | 'unknown' | 'ignored' | 'refund due' | 'refund by hand' | 'refund failed'
  reason: string
}
