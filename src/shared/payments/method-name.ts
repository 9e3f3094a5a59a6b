import {
  getProviderDescriptor,
  MANUAL_PAYMENT_LABELS,
  MANUAL_PAYMENT_TYPES,
  PROVIDER_NAMES,
} from './providers.ts'

export function getPaymentMethodName(method: string): string {
  const type = MANUAL_PAYMENT_TYPES.find((name) => name === method)
  const provider = PROVIDER_NAMES.find((name) => name === method)
  if (type) return MANUAL_PAYMENT_LABELS[type]
  return provider ? getProviderDescriptor(provider).name : method
}
