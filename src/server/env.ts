import * as z from 'zod/mini'
import { providerSettings, REQUIRED_SETTINGS } from '#server/payments/providers/settings.ts'
import { httpsAddress, MUST_BE_HTTPS, originAddress } from '#server/platform/addresses.ts'
import { DEFAULT_METHOD, descriptorOf, PAYMENT_METHODS } from '#shared/payments/providers.ts'
import { shop } from '#shared/shop.ts'

const COOKIE_SECRET_CHARACTERS = 32

/** A comma-separated list. */
const list = z.pipe(
  z.string(),
  z.transform((text) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean),
  ),
)

const cookieSecret = z
  .string({
    error:
      'is missing. Add it to .dev.vars; for production, run: npx wrangler secret put COOKIE_SECRET --env production',
  })
  .check(z.minLength(COOKIE_SECRET_CHARACTERS, `must have at least ${COOKIE_SECRET_CHARACTERS} characters`))
const A_SHARE = 'must be a number from 0 to 1'
const knownWays = `must list ${PAYMENT_METHODS.join(', ')}, or some of them`

const configSchema = z.object({
  ENVIRONMENT: z._default(z.enum(['local', 'production'], 'must be local or production'), 'production'),
  COOKIE_SECRET: cookieSecret,
  /** The secret before the last change: cookies signed with it are still valid. */
  COOKIE_SECRET_PREVIOUS: z.optional(cookieSecret),
  /** The shop's public origin, for canonical links and mails; unset locally, the request's own. */
  SITE_ORIGIN: z.optional(originAddress),
  /** Where the local shop is open, for work that no request has started. `npm start` sets it. */
  LOCAL_ORIGIN: z._default(originAddress, 'http://localhost:5000'),
  /** The sender of every mail; its domain must be verified for sending. */
  MAIL_FROM: z._default(z.email('must be an email address'), shop.email),
  /** Receives the notices of new orders and messages. */
  OPERATOR_EMAIL: z._default(z.email('must be an email address'), shop.email),
  API_BASE: z.optional(httpsAddress),
  /** A third-party identity service for reset mails, without `/v1/…`; unset, the shop sends them itself. */
  IDENTITY_BASE: z.optional(httpsAddress),
  IDENTITY_KEY: z.optional(z.string()),
  /** A service that knows breached passwords by the range of their SHA-1, such as https://api.pwnedpasswords.com. */
  BREACHED_PASSWORDS_URL: z.optional(httpsAddress),
  /** Cloudflare Turnstile: the challenge that passes a pause after wrong passwords. Both or neither. */
  TURNSTILE_SITE_KEY: z.optional(z.string()),
  TURNSTILE_SECRET_KEY: z.optional(z.string()),
  CHAT_SCRIPT_URL: z.optional(httpsAddress),
  /** The share of responses from the page cache that are logged, 0 to 1; all others always are. */
  LOG_CACHED_PAGES: z._default(
    z.pipe(
      z.pipe(z.string(), z.transform(Number)),
      z.number(A_SHARE).check(z.minimum(0, A_SHARE), z.maximum(1, A_SHARE)),
    ),
    1,
  ),
  /** `off` removes the service worker from every browser at its next visit. */
  SERVICE_WORKER: z._default(z.enum(['on', 'off'], 'must be on or off'), 'on'),
  /** Comma-separated origins that product images may come from, besides the shop's own. */
  IMAGE_ORIGINS: z._default(z.pipe(list, z.array(originAddress)), []),
  /** The ways to pay that checkout offers, in order; must be set in production. */
  PAYMENTS: z._default(
    z.pipe(list, z.array(z.enum(PAYMENT_METHODS, knownWays)).check(z.minLength(1, knownWays))),
    [DEFAULT_METHOD],
  ),
  ...providerSettings,
})

/** The Worker's configuration, parsed. */
export type Config = z.infer<typeof configSchema>

/** The settings that are addresses. */
const ADDRESSES = [
  'SITE_ORIGIN',
  'API_BASE',
  'IDENTITY_BASE',
  'BREACHED_PASSWORDS_URL',
  'CHAT_SCRIPT_URL',
  'IMAGE_ORIGINS',
] as const satisfies (keyof Config)[]

/** Every setting's name, as in the table of docs/operating.md. */
export const SETTING_NAMES: readonly string[] = Object.keys(configSchema.shape)

/** Bindings and settings that are missing or malformed; the message names each of them. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError'
  constructor(problems: string[]) {
    super(`The shop is not configured: ${problems.join('; ')}.`)
  }
}

/** Parses the settings among the Worker's bindings. An empty setting counts as unset. Throws {@link ConfigurationError}. */
export function parseConfig(bindings: Record<string, unknown>): Config {
  const { config, problems } = readConfig(bindings)
  if (!config || problems.length > 0) throw new ConfigurationError(problems)
  return config
}

function readConfig(bindings: Record<string, unknown>): { config: Config | undefined; problems: string[] } {
  const settings = Object.fromEntries(Object.entries(bindings).filter(([, value]) => value !== ''))
  const { data: config, error } = configSchema.safeParse(settings)
  const problems = (error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`)
  // Mails link to the origin, so in production it must not come from a request.
  if (settings.ENVIRONMENT !== 'local') {
    if (!settings.SITE_ORIGIN) problems.push('SITE_ORIGIN must be set in production')
    if (!settings.PAYMENTS)
      problems.push('PAYMENTS must be set in production: mpesa, paystack, or simulated to take no money')
    for (const name of ADDRESSES) {
      const isPlain = /(^|[,\s])http:/i.test(String(settings[name] ?? ''))
      if (isPlain && !problems.includes(`${name} ${MUST_BE_HTTPS}`)) problems.push(`${name} ${MUST_BE_HTTPS}`)
    }
  }
  if (Boolean(settings.TURNSTILE_SITE_KEY) !== Boolean(settings.TURNSTILE_SECRET_KEY))
    problems.push('set both TURNSTILE_SITE_KEY and TURNSTILE_SECRET_KEY, or neither')
  if (config) problems.push(...paymentProblems(config))
  return { config, problems }
}

/** What the offered ways to pay lack. Nobody may choose between paying and not paying. */
function paymentProblems(config: Config): string[] {
  const { PAYMENTS, ENVIRONMENT } = config
  const missing = PAYMENTS.flatMap((way) =>
    REQUIRED_SETTINGS[way]
      .filter((name) => !config[name])
      .map((name) => `${name} is missing but PAYMENTS includes ${way}`),
  )
  const simulated = PAYMENTS.filter((way) => !descriptorOf(way).takesMoney)
  const isMixed = simulated.length > 0 && simulated.length < PAYMENTS.length
  return isMixed && ENVIRONMENT === 'production'
    ? [...missing, `PAYMENTS offers ${simulated.join(', ')} beside real money`]
    : missing
}

/** The Worker's bindings, as wrangler.toml declares them. */
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

/** The Worker's bindings and settings. Throws {@link ConfigurationError} naming everything that is missing or malformed. */
export function parseEnv(env: Partial<Bindings>): { bindings: Bindings; config: Config } {
  const missing = REQUIRED_BINDINGS.filter((name) => !env[name]).map(
    (name) => `the binding ${name} is missing from wrangler.toml`,
  )
  const { config, problems } = readConfig(env)
  if (missing.length > 0 || problems.length > 0 || !config)
    throw new ConfigurationError([...missing, ...problems])
  return { bindings: env as Bindings, config }
}
