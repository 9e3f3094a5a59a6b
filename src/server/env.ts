import * as z from 'zod/mini'
import {
  findProviderProblems,
  providerSettingsShape,
  REQUIRED_SETTINGS,
} from '#server/payments/providers/settings.ts'
import { httpsUrlSchema, originSchema } from '#server/platform/urls.ts'
import { CONFIGURED_METHODS, DEFAULT_METHOD, getProviderDescriptor } from '#shared/payments/providers.ts'
import { shop } from '#shared/shop.ts'
import { findProductionProblems } from './production-settings.ts'

const COOKIE_SECRET_CHARACTERS = 32

const listSchema = z.pipe(
  z.string(),
  z.transform((text) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean),
  ),
)

const cookieSecretSchema = z
  .string({
    error:
      'is missing. Add it to .dev.vars; for production, run: npx wrangler secret put COOKIE_SECRET --env production',
  })
  .check(z.minLength(COOKIE_SECRET_CHARACTERS, `must have at least ${COOKIE_SECRET_CHARACTERS} characters`))
const SHARE_ERROR = 'must be a number from 0 to 1'
const METHODS_ERROR = `must be one or more of ${CONFIGURED_METHODS.join(', ')}`

const configSchema = z.object({
  ENVIRONMENT: z._default(z.enum(['local', 'production'], 'must be local or production'), 'production'),
  COOKIE_SECRET: cookieSecretSchema,
  /** Signatures made with this secret stay valid. */
  COOKIE_SECRET_PREVIOUS: z.optional(cookieSecretSchema),
  /** If unset, a local shop uses the request's origin, or LOCAL_ORIGIN for background work and the office. */
  SITE_ORIGIN: z.optional(originSchema),
  /** The origin of a local shop, for example in emails and callback URLs. `npm start` and `npm run dev` set it. */
  LOCAL_ORIGIN: z._default(originSchema, 'http://localhost:5000'),
  /** The domain must be set up for Cloudflare's Email Sending. */
  MAIL_FROM: z._default(z.email('must be an email address'), shop.email),
  OPERATOR_EMAIL: z._default(z.email('must be an email address'), shop.email),
  OFFICE_ORIGIN: z.optional(originSchema),
  API_BASE: z.optional(httpsUrlSchema),
  /** The URL, without `/v1/…`, of an identity service that sends reset emails. If unset, the shop sends them. */
  IDENTITY_BASE: z.optional(httpsUrlSchema),
  IDENTITY_KEY: z.optional(z.string()),
  /** The URL of a range API for breached passwords, such as https://api.pwnedpasswords.com. */
  BREACHED_PASSWORDS_URL: z.optional(httpsUrlSchema),
  /** A solved challenge skips the pause after wrong passwords. */
  TURNSTILE_SITE_KEY: z.optional(z.string()),
  TURNSTILE_SECRET_KEY: z.optional(z.string()),
  CHAT_SCRIPT_URL: z.optional(httpsUrlSchema),
  /** The share of `pageCache.respond` hits that are logged, from 0 to 1. All other responses are logged. */
  LOG_CACHED_PAGES: z._default(
    z.pipe(
      z.pipe(z.string(), z.transform(Number)),
      z.number(SHARE_ERROR).check(z.minimum(0, SHARE_ERROR), z.maximum(1, SHARE_ERROR)),
    ),
    1,
  ),
  /** If `off`, browsers unregister the service worker on their next visit. */
  SERVICE_WORKER: z._default(z.enum(['on', 'off'], 'must be on or off'), 'on'),
  IMAGE_ORIGINS: z._default(z.pipe(listSchema, z.array(originSchema)), []),
  PAYMENTS: z._default(
    z.pipe(
      listSchema,
      z.array(z.enum(CONFIGURED_METHODS, METHODS_ERROR)).check(z.minLength(1, METHODS_ERROR)),
    ),
    [DEFAULT_METHOD],
  ),
  /** The VAPID key pair for push alerts: the public key, a dot and the private key, in base64url. */
  VAPID_KEYS: z.optional(
    z
      .string()
      .check(z.regex(/^[\w-]{87}\.[\w-]{43}$/, 'must be the output of: npm run -s shop -- alerts keys')),
  ),
  ALLOW_SANDBOX_PAYMENTS: z.optional(z.enum(['true', 'false'], 'must be true or false')),
  ...providerSettingsShape,
})

export type Config = z.infer<typeof configSchema>

export const SETTING_NAMES: readonly string[] = Object.keys(configSchema.shape)

export class ConfigurationError extends Error {
  override name = 'ConfigurationError'
  constructor(problems: string[]) {
    super(`The shop isn’t configured: ${problems.join('; ')}.`)
  }
}

/** Treats empty settings as unset. Throws {@link ConfigurationError}. */
export function parseConfig(bindings: Record<string, unknown>): Config {
  const { config, problems } = validateSettings(bindings)
  if (!config || problems.length > 0) throw new ConfigurationError(problems)
  return config
}

export function findConfigProblems(settings: Record<string, unknown>): string[] {
  return validateSettings(settings, true).problems
}

function validateSettings(
  bindings: Record<string, unknown>,
  isDeployed = false,
): { config: Config | undefined; problems: string[] } {
  const settings = Object.fromEntries(Object.entries(bindings).filter(([, value]) => value !== ''))
  const { data: config, error } = configSchema.safeParse(settings)
  const problems = (error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`)
  if (isDeployed && settings.ENVIRONMENT === 'local')
    problems.push('ENVIRONMENT must be production on Cloudflare')
  if (isDeployed || settings.ENVIRONMENT !== 'local') {
    // Links in emails start with the site's origin, which in production must not come from a request.
    if (!settings.SITE_ORIGIN) problems.push('SITE_ORIGIN must be set in production')
    if (!settings.PAYMENTS)
      problems.push(
        'PAYMENTS must be set in production: mpesa, paystack or both; or simulated, which takes no money',
      )
    problems.push(...findProductionProblems(settings).filter((problem) => !problems.includes(problem)))
  }
  if (Boolean(settings.TURNSTILE_SITE_KEY) !== Boolean(settings.TURNSTILE_SECRET_KEY))
    problems.push('set both TURNSTILE_SITE_KEY and TURNSTILE_SECRET_KEY, or neither')
  if (config) problems.push(...findPaymentProblems(config), ...findProviderProblems(config))
  return { config, problems }
}

function findPaymentProblems(config: Config): string[] {
  const { PAYMENTS, ENVIRONMENT } = config
  const missing = PAYMENTS.flatMap((method) =>
    REQUIRED_SETTINGS[method]
      .filter((name) => !config[name])
      .map((name) => `${name} is missing but PAYMENTS includes ${method}`),
  )
  const simulated = PAYMENTS.filter((method) => !getProviderDescriptor(method).movesMoney)
  const isMixed = simulated.length > 0 && simulated.length < PAYMENTS.length
  return isMixed && ENVIRONMENT === 'production'
    ? [...missing, `PAYMENTS mixes ${simulated.join(', ')} with payment methods that take money`]
    : missing
}

export type Bindings = {
  ASSETS: Fetcher
  DB: D1Database
  CATALOGUE: KVNamespace
  PHOTOS: R2Bucket
  MAIL: SendEmail
  LIMIT_ATTEMPTS: RateLimit
  LIMIT_NETWORK: RateLimit
  LIMIT_EVERYONE: RateLimit
  LIMIT_WRITES: RateLimit
  VERSION?: WorkerVersionMetadata
} & Record<string, unknown>

const REQUIRED_BINDINGS = [
  'ASSETS',
  'DB',
  'CATALOGUE',
  'PHOTOS',
  'MAIL',
  'LIMIT_ATTEMPTS',
  'LIMIT_NETWORK',
  'LIMIT_EVERYONE',
  'LIMIT_WRITES',
] as const

/** `isDeployed` is true if the Worker runs on Cloudflare. Throws {@link ConfigurationError}. */
export function parseEnv(
  env: Partial<Bindings>,
  { isDeployed = false } = {},
): { bindings: Bindings; config: Config } {
  const missing = REQUIRED_BINDINGS.filter((name) => !env[name]).map(
    (name) => `the binding ${name} is missing from wrangler.toml`,
  )
  const { config, problems } = validateSettings(env, isDeployed)
  if (missing.length > 0 || problems.length > 0 || !config)
    throw new ConfigurationError([...missing, ...problems])
  return { bindings: env as Bindings, config }
}
