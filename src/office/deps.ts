import type { Deps } from '#server/deps.ts'
import type { RequestLogVariables } from '#server/middleware/request-log.ts'
import type { OfficeConfig } from './env.ts'

/** Everything the office needs from outside: `worker.ts` makes it from the bindings, tests pass their own. */
export type OfficeDeps = Pick<
  Deps,
  'db' | 'clock' | 'randomBytes' | 'log' | 'background' | 'catalogueStore' | 'photos'
> & {
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

/** Who is in the office: what Cloudflare Access says of them. */
export type Identity = { email: string }

/** How much waits for somebody. */
export type Badges = { unreadMessages: number; refunds: number; stuckMails: number }

/** The context of every handler: the identity is there behind `requireIdentity`. */
export type OfficeEnv = {
  Variables: RequestLogVariables & { identity: Identity; badges: () => Promise<Badges> }
}
