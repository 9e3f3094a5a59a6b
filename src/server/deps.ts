import type { DeliveryTerms } from '#shared/rules/delivery.ts'
import type { DeriveKey, HashQueue } from './auth/hash-queue.ts'
import type { CatalogueLogLine, CatalogueStore, PublishedCatalogue } from './catalogue/published.ts'
import type { CatalogueSource } from './catalogue/source.ts'
import type { StockLogLine, StockSnapshot } from './catalogue/stock-snapshot.ts'
import type { Database } from './db/client.ts'
import type { Config } from './env.ts'
import type { DeliveryLogLine, Mailer } from './mail/mailer.ts'
import type { ReportLogLine, RequestLogLine } from './middleware/request-log.ts'
import type { PaymentLogLine, Payments } from './payment-providers/provider.ts'
import type { RateLimiters } from './rate-limit.ts'
import type { PhotoStore } from './services/catalogue/store-photo.ts'

/** Everything the server needs from outside: `worker.ts` makes it from the bindings, tests pass their own. */
export type Deps = {
  config: Config
  /** Its products say what is left of them, by the snapshot. */
  catalogue: CatalogueSource
  /** The same as it was published, without the stock: its file, and what has it read again. */
  publishedCatalogue: Pick<PublishedCatalogue, 'file' | 'refresh'>
  catalogueStore: CatalogueStore
  photos: PhotoStore
  stock: StockSnapshot
  db: Database
  /** Milliseconds since the epoch. */
  clock: () => number
  /** Cryptographically random bytes. */
  randomBytes: (length: number) => Uint8Array<ArrayBuffer>
  deriveKey: DeriveKey
  hashQueue: HashQueue
  mailer: Mailer
  payments: Payments
  delivery: DeliveryTerms
  limits: RateLimiters
  /** Keeps the Worker alive for work that continues after the response. */
  background: (work: Promise<unknown>) => void
  /** The deployed version's id. */
  version: string
  log: (
    line: RequestLogLine | DeliveryLogLine | ReportLogLine | PaymentLogLine | StockLogLine | CatalogueLogLine,
  ) => void
}

/** What a service needs that verifies or stores a password, and sends a mail about it. */
export type PasswordServiceDeps = Pick<
  Deps,
  | 'config'
  | 'db'
  | 'clock'
  | 'randomBytes'
  | 'deriveKey'
  | 'hashQueue'
  | 'limits'
  | 'mailer'
  | 'log'
  | 'background'
>
