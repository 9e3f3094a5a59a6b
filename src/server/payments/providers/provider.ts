import type { PaymentProblem, PaymentProviderName } from '#shared/payments/payment.ts'

/** A provider's access token, and when it ends. */
export type AccessToken = { value: string; expiresAtMs: number }

/** One attempt to pay an order, as a provider needs it. */
export type Attempt = {
  /** Unlike the order's number, never seen by anybody but the provider. */
  id: string
  orderNumber: string
  amountCents: number
  email: string
  /** 254XXXXXXXXX, where the provider asks a phone. */
  phone: string | null
  /** The provider's name for the attempt; null until it has said it. */
  reference: string | null
  /** The access token that all isolates share, as it was stored a moment ago. */
  token: AccessToken | null
}

/** Where a provider reports to, and where it sends the shopper back to. */
export type AttemptAddresses = { callbackUrl: string; returnUrl: string }

/** A payment that was taken, as a provider needs it to give the money back. */
export type SettledPayment = Attempt & {
  /** The provider's proof of payment; null when it has not told it yet. */
  receipt: string | null
}

/** The money is there. */
export type Settled = { outcome: 'settled'; reference: string; receipt: string | null }
/** No money moved; `message` is for the shopper, `error` (the provider's own words) for the log. */
export type Declined = { outcome: 'declined'; problem: PaymentProblem; message: string; error?: string }
/** The shopper has something to do: on the phone, or at `redirectTo`. */
export type Pending = { outcome: 'pending'; reference: string; redirectTo?: string }
/** The provider gave no usable answer: it may or may not have taken the request. `error` is for the log. */
export type Unknown = { outcome: 'unknown'; error: string }

export type BeginResult = Settled | Declined | Pending | Unknown
export type CheckResult = Settled | Declined | { outcome: 'pending' } | Unknown

/** `requested`: accepted, and the provider tells the result later. `by_hand`: only a person can give this back. */
export type RefundResult =
  | { outcome: 'done' }
  | { outcome: 'requested' }
  | { outcome: 'by_hand'; error: string }
  | { outcome: 'failed'; error: string }

/** Whoever takes the money. Calls never reject for what a provider does: every failure is an outcome. */
export type PaymentProvider = {
  /** `manual`: money that came another way, recorded by the operator. */
  name: PaymentProviderName | 'manual'
  /** Whether {@link begin} may be called twice for one attempt without asking for the money twice. */
  isRepeatable: boolean
  /** Asks for the money. */
  begin(attempt: Attempt, addresses: AttemptAddresses): Promise<BeginResult>
  /** Asks the provider what became of an attempt; nothing else is believed. */
  check(attempt: Attempt): Promise<CheckResult>
  /** Gives back what was paid. Safe to repeat: a payment is given back once. */
  refund(payment: SettledPayment, addresses: { callbackUrl: string }): Promise<RefundResult>
}

/** The providers that are configured, and the ways to pay that checkout offers, in order. */
export type Payments = {
  ways: readonly PaymentProviderName[]
  providers: readonly PaymentProvider[]
}

/** What the operator may have to look into, as one line of JSON in the log. Holds no name, phone or receipt. */
export type PaymentLogLine = {
  level: 'error'
  at: string
  /** The attempt's id. */
  payment: string
  /** The order's number. */
  order: string
  provider: PaymentProvider['name']
  outcome: 'declined' | 'unknown' | 'ignored' | 'refund due' | 'refund by hand' | 'refund failed'
  reason: string
}

/** A provider's answer, its body undefined when it is not JSON; or why there is none. */
export type Answer = { status: number; body: unknown } | { failure: string }

type Ask = {
  url: string
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  /** Sent as JSON. */
  json?: unknown
  timeoutMs: number
}

/**
 * One HTTP call to a provider. Never rejects: no answer in time and a broken connection are a `failure`, after which
 * nobody knows whether the provider acted.
 */
export async function ask({ url, method = 'POST', headers = {}, json, timeoutMs }: Ask): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method,
      headers: { Accept: 'application/json', 'Content-Type': 'application/json', ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
    return { status: response.status, body: parsed(await response.text()) }
  } catch (error) {
    return { failure: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const REQUEST_TIMEOUT = 408
/** Overloaded; then Cloudflare's own answers to a Worker whose request did not reach the provider. */
const NOT_TAKEN: readonly number[] = [503, 521, 523, 525, 526, 530]

/** Whether a status says that the request was turned away before anything was done. */
export function isTurnedAway(status: number): boolean {
  return (status >= 400 && status < 500 && status !== REQUEST_TIMEOUT) || NOT_TAKEN.includes(status)
}

/** What `work` resolves to, or undefined when it takes longer. Rejects as it does. */
export async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined> {
  const { promise: tooLate, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, ms)
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer))
}
