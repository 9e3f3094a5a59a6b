import type { PaymentMethod } from '#shared/payments/providers.ts'
import { findMpesaProblems, mpesaSettingsShape, REQUIRED_MPESA_SETTINGS } from './mpesa/settings.ts'
import { paystackSettingsShape, REQUIRED_PAYSTACK_SETTINGS } from './paystack/settings.ts'

export const providerSettingsShape = { ...mpesaSettingsShape, ...paystackSettingsShape }

export const findProviderProblems = findMpesaProblems

export const REQUIRED_SETTINGS = {
  simulated: [],
  'cash-on-delivery': [],
  mpesa: REQUIRED_MPESA_SETTINGS,
  paystack: REQUIRED_PAYSTACK_SETTINGS,
} as const satisfies Record<PaymentMethod, readonly (keyof typeof providerSettingsShape)[]>
