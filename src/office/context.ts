import * as z from 'zod/mini'
import type { PhotoStore } from '#server/catalogue/store-photo.ts'
import type { CatalogueContext, ServiceContext } from '#server/context.ts'
import type { RequestLogVariables } from '#server/platform/middleware/request-log.ts'

/** Everything the office needs from outside: `worker.ts` makes it from the bindings, tests pass their own. */
export type OfficeContext = CatalogueContext & {
  log: ServiceContext['log']
  background: ServiceContext['background']
  photos: PhotoStore
  config: OfficeConfig
  /** Fetches the keys of Cloudflare Access. */
  fetch: typeof fetch
  /** The shop's static files. */
  shop: Pick<Fetcher, 'fetch'>
  /** A page of the shop with the products of an `Items.json`. */
  preview: (address: string, items: string) => Promise<Response>
  /** Starts what the shop's schedule does: mails and refunds that are due. */
  runHousekeeping: () => Promise<void>
}

/** Who is in the office, by Cloudflare Access. */
export type Identity = { email: string }

/** How much waits for somebody. */
export type Badges = { unreadMessages: number; refunds: number; stuckMails: number }

/** The context of every handler: the identity is there behind `requireIdentity`. */
export type OfficeEnv = {
  Variables: RequestLogVariables & { identity: Identity; badges: () => Promise<Badges> }
}

const origin = z.pipe(
  z.url('must be an address'),
  z.transform((address) => new URL(address).origin),
)

const configSchema = z.object({
  ENVIRONMENT: z._default(z.enum(['local', 'production'], 'must be local or production'), 'production'),
  /** The shop's public origin, for links to it. */
  SITE_ORIGIN: z.optional(origin),
  /** Origins that product images may come from, besides the shop's own, separated by commas. */
  IMAGE_ORIGINS: z._default(z.string(), ''),
  /** The Zero Trust team: `pamba` of pamba.cloudflareaccess.com. */
  ACCESS_TEAM: z.optional(z.string().check(z.regex(/^[a-z0-9][a-z0-9-]*$/, 'must be just the team’s name'))),
  /** The audience tag of the Access application. */
  ACCESS_AUDIENCE: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'))),
})

/** The office's settings, parsed. */
export type OfficeConfig = z.infer<typeof configSchema>

/** The office's bindings, as src/office/wrangler.toml declares them. */
export type OfficeBindings = {
  DB: D1Database
  /** The shop: its static files. */
  SHOP: Fetcher
  CATALOGUE: KVNamespace
  PHOTOS: R2Bucket
  PREVIEW: { page(address: string, items: string): Promise<Response> }
  HOUSEKEEPING: { run(): Promise<void> }
} & Record<string, unknown>

/**
 * The settings among the bindings; an empty one counts as unset. Without a team and an audience nobody is let in. Throws an
 * Error that names each setting that is malformed.
 */
export function parseOfficeConfig(bindings: Record<string, unknown>): OfficeConfig {
  const settings = Object.fromEntries(Object.entries(bindings).filter(([, value]) => value !== ''))
  const { data, error } = configSchema.safeParse(settings)
  if (data) return data
  const problems = error.issues.map(({ path, message }) => `${path.join('.')} ${message}`)
  throw new Error(`The office isn’t configured: ${problems.join('; ')}.`)
}
