import { eq, sql } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import type { Config } from '#server/env.ts'
import type { TokenStore } from '#server/payments/providers/mpesa/daraja.ts'
import { mpesaProvider } from '#server/payments/providers/mpesa/mpesa.ts'
import { paystackProvider } from '#server/payments/providers/paystack/paystack.ts'
import { manualPayment, simulatedPayment } from '#server/payments/providers/simulated/simulated.ts'
import type { Database } from '#server/platform/db/client.ts'
import { providerTokens } from '#server/platform/db/schema.ts'
import type { PaymentProvider, Payments } from './provider.ts'

/**
 * The payments of a configuration. A provider whose keys are there is asked about its payments, and gives them back,
 * also when checkout no longer offers it.
 */
export function configuredPayments(
  config: Config,
  ctx: Pick<ServiceContext, 'db' | 'clock' | 'background'>,
): Payments {
  const providers = [simulatedPayment(), manualPayment, mpesaOf(config, ctx), paystackOf(config)]
  return { ways: config.PAYMENTS, providers: providers.filter((provider) => provider !== undefined) }
}

function mpesaOf(
  config: Config,
  ctx: Pick<ServiceContext, 'db' | 'clock' | 'background'>,
): PaymentProvider | undefined {
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
  return mpesaProvider(settings, { ...ctx, tokens: storedTokens('mpesa', ctx.db) })
}

function paystackOf({ PAYSTACK_BASE: base, PAYSTACK_SECRET_KEY: secretKey }: Config) {
  return secretKey ? paystackProvider({ base, secretKey }) : undefined
}

/** A provider's access token in the database, for all isolates. */
export function storedTokens(provider: string, db: Database): TokenStore {
  return {
    async stored() {
      const byProvider = eq(providerTokens.provider, provider)
      const row = await db
        .select()
        .from(providerTokens)
        .where(byProvider)
        .get()
        .catch(() => undefined)
      return row ? { value: row.token, expiresAtMs: row.expiresAtMs } : null
    },
    async store({ value: token, expiresAtMs }) {
      // Of two isolates that fetch one at once, the later token counts.
      await db
        .insert(providerTokens)
        .values({ provider, token, expiresAtMs })
        .onConflictDoUpdate({
          target: providerTokens.provider,
          set: { token, expiresAtMs },
          setWhere: sql`excluded.expires_at_ms >= ${providerTokens.expiresAtMs}`,
        })
        // Not stored, it is fetched again.
        .catch(() => undefined)
    },
  }
}
