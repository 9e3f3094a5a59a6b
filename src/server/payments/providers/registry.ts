import type { ServiceContext } from '#server/context.ts'
import type { Config } from '#server/env.ts'
import { createTokenStore } from '#server/payments/stored-tokens.ts'
import type { PaymentProblem } from '#shared/payments/payment.ts'
import { type PaymentProviderName, PROVIDER_NAMES } from '#shared/payments/providers.ts'
import { cashOnDeliveryMessages, cashOnDeliveryProvider } from './cash-on-delivery/cash-on-delivery.ts'
import { manualMessages, manualProvider } from './manual/manual.ts'
import { mpesaMessages } from './mpesa/messages.ts'
import { createMpesaProvider } from './mpesa/mpesa.ts'
import { toDarajaSettings } from './mpesa/settings.ts'
import { paystackMessages } from './paystack/messages.ts'
import { createPaystackProvider } from './paystack/paystack.ts'
import { toPaystackSettings } from './paystack/settings.ts'
import type { PaymentProvider, Payments, ProviderMessages, WaitingAttempt } from './provider.ts'
import { createSimulatedProvider, simulatedMessages } from './simulated/simulated.ts'

type ProviderContext = Pick<ServiceContext, 'db' | 'clock' | 'waitUntil'>

type Registration = {
  messages: ProviderMessages
  create: (config: Config, ctx: ProviderContext) => PaymentProvider | undefined
}

const REGISTRY: Record<PaymentProviderName, Registration> = {
  simulated: { messages: simulatedMessages, create: () => createSimulatedProvider() },
  'cash-on-delivery': { messages: cashOnDeliveryMessages, create: () => cashOnDeliveryProvider },
  manual: { messages: manualMessages, create: () => manualProvider },
  mpesa: {
    messages: mpesaMessages,
    create(config, ctx) {
      const settings = toDarajaSettings(config)
      return settings && createMpesaProvider(settings, { ...ctx, tokens: createTokenStore('mpesa', ctx.db) })
    },
  },
  paystack: {
    messages: paystackMessages,
    create(config) {
      const settings = toPaystackSettings(config)
      return settings && createPaystackProvider(settings)
    },
  },
}

/** A provider with keys stays available for queries and refunds after checkout stops offering it. */
export function createPayments(config: Config, ctx: ProviderContext): Payments {
  const providers = PROVIDER_NAMES.map((name) => REGISTRY[name].create(config, ctx))
  return { methods: config.PAYMENTS, providers: providers.filter((provider) => provider !== undefined) }
}

export function getProblemMessage(provider: PaymentProviderName, problem: PaymentProblem): string {
  const { problems } = REGISTRY[provider].messages
  return problems[problem] ?? problems.declined
}

export function getWaitingMessage(provider: PaymentProviderName, attempt: WaitingAttempt): string {
  return REGISTRY[provider].messages.waiting(attempt)
}
