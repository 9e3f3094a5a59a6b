/**
 * `prompt` means a prompt on the shopper's phone, `redirect` the provider's page, and `manual` a payment that the
 * operator records.
 */
export type PaymentFlow = 'card' | 'prompt' | 'redirect' | 'on-delivery' | 'manual'

type PaymentFields = 'card' | 'phone' | 'none'

type ProviderDescriptor = {
  flow: PaymentFlow
  name: string
  label: string
  fields: PaymentFields
  movesMoney: boolean
  limitsKsh?: { min: number; max: number }
}

export const PROVIDERS = {
  simulated: { flow: 'card', name: 'Card', label: 'Card', fields: 'card', movesMoney: false },
  mpesa: {
    flow: 'prompt',
    name: 'M-Pesa',
    label: 'M-Pesa',
    fields: 'phone',
    movesMoney: true,
    limitsKsh: { min: 1, max: 250_000 },
  },
  paystack: { flow: 'redirect', name: 'Paystack', label: 'Card', fields: 'none', movesMoney: true },
  'cash-on-delivery': {
    flow: 'on-delivery',
    name: 'Cash on delivery',
    label: 'Cash on delivery',
    fields: 'none',
    movesMoney: true,
  },
  manual: { flow: 'manual', name: 'Paid directly to us', label: 'Payment', fields: 'none', movesMoney: true },
} as const satisfies Record<string, ProviderDescriptor>

export const MANUAL_PAYMENT_TYPES = ['cash', 'till', 'bank'] as const
export type ManualPaymentType = (typeof MANUAL_PAYMENT_TYPES)[number]

export const MANUAL_PAYMENT_LABELS: Record<ManualPaymentType, string> = {
  cash: 'Cash',
  till: 'M-Pesa till or paybill',
  bank: 'Bank transfer',
}

export type PaymentProviderName = keyof typeof PROVIDERS

export type ProviderOf<Flow extends PaymentFlow> = {
  [Name in PaymentProviderName]: (typeof PROVIDERS)[Name]['flow'] extends Flow ? Name : never
}[PaymentProviderName]

export type PaymentMethod = ProviderOf<'card' | 'prompt' | 'redirect' | 'on-delivery'>

export function getProviderDescriptor(name: PaymentProviderName): ProviderDescriptor {
  return PROVIDERS[name]
}

export function hasFlow<Flow extends PaymentFlow>(
  name: PaymentProviderName,
  flow: Flow,
): name is ProviderOf<Flow> {
  return getProviderDescriptor(name).flow === flow
}

export const PROVIDER_NAMES = Object.keys(PROVIDERS) as [PaymentProviderName, ...PaymentProviderName[]]

export function listProvidersWithFlow<Flow extends PaymentFlow>(flow: Flow): ProviderOf<Flow>[] {
  return PROVIDER_NAMES.filter((name) => hasFlow(name, flow))
}

export const PAYMENT_METHODS = PROVIDER_NAMES.filter(
  (name): name is PaymentMethod => !hasFlow(name, 'manual'),
)

/** The methods that a setting can enable. Cash on delivery is part of the published content instead. */
export const CONFIGURED_METHODS = PAYMENT_METHODS.filter((name) => !hasFlow(name, 'on-delivery'))

export const DEFAULT_METHOD = 'simulated' satisfies PaymentMethod

export const PROMPT_PHONE_FIELD = 'mpesaPhone'
