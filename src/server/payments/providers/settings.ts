import type { PaymentMethod } from '#shared/payments/providers.ts'
import { findMpesaProblems, mpesaSettings, REQUIRED_MPESA_SETTINGS } from './mpesa/settings.ts'
import { paystackSettings, REQUIRED_PAYSTACK_SETTINGS } from './paystack/settings.ts'

export const providerSettings = { ...mpesaSettings, ...paystackSettings }

export const findProviderProblems = findMpesaProblems

export const REQUIRED_SETTINGS = {
  simulated: [],
  'cash-on-delivery': [],
  mpesa: REQUIRED_MPESA_SETTINGS,
  paystack: REQUIRED_PAYSTACK_SETTINGS,
} as const satisfies Record<PaymentMethod, readonly (keyof typeof providerSettings)[]>
