/**
 * How money is collected. `card`: by a form in the shop's page, and answered at once; `prompt`: on the shopper's phone;
 * `redirect`: on the provider's page; `manual`: another way, and recorded by the operator.
 */
export type PaymentFlow = 'card' | 'prompt' | 'redirect' | 'manual'

type ProviderDescriptor = {
  flow: PaymentFlow
  /** The provider's name in sentences. */
  name: string
  /** What checkout and receipts call it. */
  label: string
  /** False where no money moves. */
  takesMoney: boolean
  /** The smallest and largest payment, in whole KSH. */
  limitsKsh?: { least: number; most: number }
}

/** Every payment provider; `src/server/payments/providers` holds a folder for each. */
export const PROVIDERS = {
  /** The card form of § 5. */
  simulated: { flow: 'card', name: 'Card', label: 'Card', takesMoney: false },
  mpesa: {
    flow: 'prompt',
    name: 'M-Pesa',
    label: 'M-Pesa',
    takesMoney: true,
    limitsKsh: { least: 1, most: 250_000 },
  },
  paystack: { flow: 'redirect', name: 'Paystack', label: 'Card', takesMoney: true },
  manual: { flow: 'manual', name: 'Received by us', label: 'Payment', takesMoney: true },
} as const satisfies Record<string, ProviderDescriptor>

export type PaymentProviderName = keyof typeof PROVIDERS

/** The providers of a flow. */
export type ProviderOf<Flow extends PaymentFlow> = {
  [Name in PaymentProviderName]: (typeof PROVIDERS)[Name]['flow'] extends Flow ? Name : never
}[PaymentProviderName]

/** A provider that checkout can offer. */
export type PaymentMethod = ProviderOf<'card' | 'prompt' | 'redirect'>

export function descriptorOf(name: PaymentProviderName): ProviderDescriptor {
  return PROVIDERS[name]
}

export function hasFlow<Flow extends PaymentFlow>(
  name: PaymentProviderName,
  flow: Flow,
): name is ProviderOf<Flow> {
  return descriptorOf(name).flow === flow
}

export const PROVIDER_NAMES = Object.keys(PROVIDERS) as [PaymentProviderName, ...PaymentProviderName[]]

export function providersOf<Flow extends PaymentFlow>(flow: Flow): ProviderOf<Flow>[] {
  return PROVIDER_NAMES.filter((name) => hasFlow(name, flow))
}

export const PAYMENT_METHODS = PROVIDER_NAMES.filter(
  (name): name is PaymentMethod => !hasFlow(name, 'manual'),
)

/** The method of a request, or of a shop, that names none. */
export const DEFAULT_METHOD = 'simulated' satisfies PaymentMethod

/** The form field for the phone that gets the prompt (flow `prompt`). */
export const PROMPT_PHONE_FIELD = 'mpesaPhone'
