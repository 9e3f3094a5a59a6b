/** What is to be paid, and with what. There is no card here: the page keeps it, and sends the provider's token. */
export type PaymentRequest = {
  /** Asked twice with one key, a provider answers twice with one authorisation. */
  idempotencyKey: string
  amountCents: number
  /** ISO 4217. */
  currency: string
  token: string
}

export type PaymentResult =
  | { outcome: 'authorised'; reference: string }
  /** `message` is for the shopper. */
  | { outcome: 'declined'; message: string }

/** Whoever takes the money. */
export type PaymentProvider = {
  /** Stands in the order. */
  name: string
  /** Holds the amount, without taking it yet. Rejects when the provider cannot be reached. */
  authorise(request: PaymentRequest): Promise<PaymentResult>
  /** Lets go of an amount whose order did not come about. */
  release(reference: string): Promise<void>
}
