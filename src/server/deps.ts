import type { DeriveKey } from './auth/scrypt.ts'
import type { CatalogueSource } from './catalogue/source.ts'
import type { Database } from './db/client.ts'
import type { Config } from './env.ts'
import type { DeliveryLine } from './mail/delivery-line.ts'
import type { Mailer } from './mail/mail.ts'
import type { LogLine } from './middleware/log-line.ts'
import type { PaymentProvider } from './payment/provider.ts'

/** `tries` guards passwords and promo codes, `writes` guards forms (wrangler.toml has the numbers). */
export type Limit = 'tries' | 'writes'

/** Everything the app reads from the outside world. Tests hand in their own; nothing below reaches past it. */
export type Deps = {
  config: Config
  catalogue: CatalogueSource
  db: Database
  /** Milliseconds since the epoch. */
  clock: () => number
  /** Cryptographically random bytes. */
  randomBytes: (length: number) => Uint8Array<ArrayBuffer>
  deriveKey: DeriveKey
  mailer: Mailer
  payment: PaymentProvider
  /** Counts a try under a key; false when the key has had too many in the last minute. */
  limits: Record<Limit, (key: string) => Promise<boolean>>
  /** Keeps the Worker alive for work that goes on after the answer. */
  background: (work: Promise<unknown>) => void
  /** The deployed version's id. */
  version: string
  log: (line: LogLine | DeliveryLine) => void
}
