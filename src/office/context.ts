import * as z from 'zod/mini'
import type { VersionText } from '#server/catalogue/catalogue-versions.ts'
import type { CatalogueContext, PhotoStore, ServiceContext } from '#server/context.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import type { RequestLogVariables } from '#server/platform/middleware/request-log.ts'
import { findProductionProblems } from '#server/production-settings.ts'
import { type Actor, normaliseMemberEmail } from '#shared/team/roles.ts'

type PromptInput = { number: string; phone: string; actor: Actor }

export type OfficeContext = CatalogueContext & {
  log: ServiceContext['log']
  waitUntil: ServiceContext['waitUntil']
  photos: PhotoStore
  config: OfficeConfig
  fetch: typeof fetch
  shop: Pick<Fetcher, 'fetch'>
  renderPreview: (path: string, version: VersionText) => Promise<Response>
  createOrderLink: (number: string) => Promise<string>
  promptPayment: (input: PromptInput) => Promise<{ problem?: string }>
  /** Runs the shop's scheduled work, such as due emails and refunds. */
  runHousekeeping: () => Promise<void>
  /** Makes the shop load the latest version now instead of at its next check. */
  showLatestVersion: () => Promise<void>
  /** Returns the VAPID key that browsers subscribe with. */
  readPushKey: () => Promise<string | undefined>
}

export type OfficeEnv = {
  Variables: RequestLogVariables & {
    nowMs: number
    identity: Actor
    /** Throws NotPermittedError if the user isn't an owner. */
    ownerContext: () => OwnerContext<OfficeContext>
  }
}

const originSchema = z.pipe(
  z.url('must be a URL'),
  z.transform((url) => new URL(url).origin),
)

const configSchema = z.object({
  ENVIRONMENT: z._default(z.enum(['local', 'production'], 'must be local or production'), 'production'),
  SITE_ORIGIN: z.optional(originSchema),
  /** The origins of product images hosted outside the shop, separated by commas or spaces. */
  IMAGE_ORIGINS: z._default(z.string(), ''),
  /** The name of the Zero Trust team, such as `pamba` for pamba.cloudflareaccess.com. */
  ACCESS_TEAM: z.optional(z.string().check(z.regex(/^[a-z0-9][a-z0-9-]*$/, 'must be the team’s name only'))),
  /** The email address of the owner who isn't stored as a team member. */
  OWNER_EMAIL: z.optional(z.pipe(z.email('must be an email address'), z.transform(normaliseMemberEmail))),
  /** The origin of a local push service for development. */
  PUSH_SANDBOX: z.optional(originSchema),
  ACCESS_AUDIENCE: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'))),
})

export type OfficeConfig = z.infer<typeof configSchema>

export type OfficeBindings = {
  DB: D1Database
  SHOP: Fetcher
  CATALOGUE: KVNamespace
  PHOTOS: R2Bucket
  PREVIEW: { page(url: string, version: VersionText): Promise<Response> }
  ORDER_LINKS: {
    create(number: string): Promise<string>
    prompt(input: PromptInput): Promise<{ problem?: string }>
  }
  HOUSEKEEPING: {
    run(): Promise<void>
    showPublished(): Promise<void>
    pushKey(): Promise<string | undefined>
  }
} & Record<string, unknown>

/** Treats empty settings as unset. Throws an Error that names every invalid setting. */
export function parseOfficeConfig(
  bindings: Record<string, unknown>,
  { isDeployed = false } = {},
): OfficeConfig {
  const { config, problems } = readOfficeConfig(bindings, isDeployed)
  if (config && problems.length === 0) return config
  throw new Error(`The office isn’t configured: ${problems.join('; ')}.`)
}

export function findOfficeConfigProblems(settings: Record<string, unknown>): string[] {
  return readOfficeConfig(settings, true).problems
}

function readOfficeConfig(bindings: Record<string, unknown>, isDeployed: boolean) {
  const settings = Object.fromEntries(Object.entries(bindings).filter(([, value]) => value !== ''))
  const { data: config, error } = configSchema.safeParse(settings)
  const problems = (error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`)
  if (isDeployed && settings.ENVIRONMENT === 'local')
    problems.push('ENVIRONMENT must be production on Cloudflare')
  if (isDeployed || settings.ENVIRONMENT !== 'local') problems.push(...findProductionProblems(settings))
  return { config, problems }
}
