import type { PaymentProblem } from '#shared/payments/payment.ts'
import type { PaymentMethod, PaymentProviderName } from '#shared/payments/providers.ts'

/** A provider's access token. */
export type AccessToken = { value: string; expiresAtMs: number }

/** One attempt to pay an order, as a provider needs it. */
export type Attempt = {
  /** Unlike the order's number, only the provider sees it. */
  id: string
  orderNumber: string
  amountCents: number
  email: string
  /** 254XXXXXXXXX, for the flow `prompt`. */
  phone: string | null
  /** The provider's name for the attempt; null until it is known. */
  reference: string | null
  /** The access token that all isolates share, as it was just read from the database. */
  token: AccessToken | null
}

/** `callbackUrl` is for the provider, `returnUrl` for the shopper. */
export type AttemptUrls = { callbackUrl: string; returnUrl: string }

/** A payment that was taken, as a provider needs it for a refund. */
export type SettledPayment = Attempt & {
  /** The provider's proof of payment; null until it is known. */
  receipt: string | null
}

export type Settled = { outcome: 'settled'; reference: string; receipt: string | null }
/** No money moved. `error` (the provider's own words) is for the log. */
export type Declined = { outcome: 'declined'; problem: PaymentProblem; error?: string }
/** The shopper has something to do: on the phone, or at `redirectTo`. */
export type Pending = { outcome: 'pending'; reference: string; redirectTo?: string }
/** No usable response: the provider may or may not have acted. `error` is for the log. */
export type Unknown = { outcome: 'unknown'; error: string }

export type StartResult = Settled | Declined | Pending | Unknown
export type QueryResult = Settled | Declined | { outcome: 'pending' } | Unknown

/** `requested`: accepted, the result follows by webhook. `by_hand`: only a person can make this refund. */
export type RefundResult =
  | { outcome: 'done' }
  | { outcome: 'requested' }
  | { outcome: 'by_hand'; error: string }
  | { outcome: 'failed'; error: string }

export type WebhookRequest = {
  /** As it was sent, for signatures. */
  rawBody: string
  /** The parsed JSON; undefined when the body is none. */
  body: unknown
  /** A header's value; empty when it was not sent. */
  header: (name: string) => string
}

/** The attempt that an event is about: null where the webhook's URL says it. */
type About = { attemptId: string | null }

/**
 * What a webhook reports. A `payment` is a claim, to be verified with `queryPayment`; `paid` is what the provider says
 * was paid, where only the webhook has the receipt. `ignored`: authentic, but of no interest here. `invalid`: forged, or
 * not a webhook of this provider.
 */
export type WebhookEvent =
  | (About & {
      kind: 'payment'
      reference: string | null
      paid: { receipt: string | null; amountKsh: number | null } | null
    })
  | (About & { kind: 'refund'; result: RefundResult })
  | { kind: 'ignored' }
  | { kind: 'invalid' }

export type ProviderWebhook = {
  /** `provider`: one URL for all events, `/api/payments/<name>`. `attempt`: each attempt's own `callbackUrl`. */
  url: 'provider' | 'attempt'
  /** The JSON body that acknowledges a webhook. */
  acknowledgement: Readonly<Record<string, unknown>>
}

/** Calls never reject for what a provider does: every failure is an outcome. */
export type PaymentProvider = {
  name: PaymentProviderName
  /** Whether repeating {@link startPayment} for one attempt never charges twice. */
  isRepeatable: boolean
  startPayment(attempt: Attempt, urls: AttemptUrls): Promise<StartResult>
  /** Asks the provider for the state of an attempt, the only source that is believed. */
  queryPayment(attempt: Attempt): Promise<QueryResult>
  /** Safe to repeat: a payment is refunded once. */
  refund(payment: SettledPayment, urls: Pick<AttemptUrls, 'callbackUrl'>): Promise<RefundResult>
  /** How the provider reports payments and refunds; null where it does not. */
  webhook: ProviderWebhook | null
  parseWebhook(request: WebhookRequest): Promise<WebhookEvent>
}

/** What the shopper reads about an attempt that is not decided. */
export type WaitingAttempt = {
  /** `KSH 1250`. */
  amount: string
  phone: string | null
  redirectTo: string | null
  /** The last call to the provider got no usable response. */
  isUnknown: boolean
  ageMs: number
}

/** A provider's texts for shoppers. Each problem's text says whether money moved. */
export type ProviderMessages = {
  problems: Partial<Record<PaymentProblem, string>> & { declined: string }
  waiting: (attempt: WaitingAttempt) => string
}

/** The configured providers, and the methods that checkout offers, in order. */
export type Payments = {
  ways: readonly PaymentMethod[]
  providers: readonly PaymentProvider[]
}

/** A line of the log about a payment that did not go as usual. Holds no name, phone or receipt. */
export type PaymentLogLine = {
  level: 'error'
  at: string
  /** The attempt's id. */
  payment: string
  /** The order's number. */
  order: string
  provider: PaymentProviderName
  outcome: 'declined' | 'unknown' | 'ignored' | 'refund due' | 'refund by hand' | 'refund failed'
  reason: string
}
