import type { Deps } from '../deps.ts'
import type { Config } from '../env.ts'
import { mpesaProvider } from './mpesa.ts'
import { paystackProvider } from './paystack.ts'
import type { PaymentProvider, Payments } from './provider.ts'
import { manualPayment, simulatedPayment } from './simulated.ts'
import { storedTokens } from './tokens.ts'

/**
 * The payments of a configuration. A provider whose keys are there is asked about its payments, and gives them back,
 * also when checkout no longer offers it.
 */
export function configuredPayments(config: Config, deps: ConfigureDeps): Payments {
  const providers = [simulatedPayment(), manualPayment, mpesaOf(config, deps), paystackOf(config)]
  return { ways: config.PAYMENTS, providers: providers.filter((provider) => provider !== undefined) }
}

type ConfigureDeps = Pick<Deps, 'db' | 'clock' | 'background'>

function mpesaOf(config: Config, deps: ConfigureDeps): PaymentProvider | undefined {
  const {
    MPESA_BASE: base,
    MPESA_CONSUMER_KEY: consumerKey,
    MPESA_CONSUMER_SECRET: consumerSecret,
    MPESA_PASSKEY: passkey,
    MPESA_SHORTCODE: shortcode,
    MPESA_TILL: till,
    MPESA_INITIATOR: name,
    MPESA_SECURITY_CREDENTIAL: securityCredential,
  } = config
  if (!consumerKey || !consumerSecret || !passkey || !shortcode) return undefined
  const initiator = name && securityCredential ? { name, securityCredential } : undefined
  const settings = { base, consumerKey, consumerSecret, passkey, shortcode, till, initiator }
  return mpesaProvider(settings, { ...deps, tokens: storedTokens('mpesa', deps.db) })
}

function paystackOf({ PAYSTACK_BASE: base, PAYSTACK_SECRET_KEY: secretKey }: Config) {
  return secretKey ? paystackProvider({ base, secretKey }) : undefined
}
