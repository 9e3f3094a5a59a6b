import type { CatalogueSource } from '#server/catalogue/catalogue-source.ts'
import type {
  CatalogueLogLine,
  CatalogueStore,
  PublishedCatalogue,
} from '#server/catalogue/published-catalogue.ts'
import type { PhotoStore } from '#server/catalogue/store-photo.ts'
import type { PaymentLogLine, Payments } from '#server/payments/providers/provider.ts'
import type { DeriveKey, HashQueue } from '#server/platform/auth/hash-queue.ts'
import type { Database } from '#server/platform/db/client.ts'
import type { DeliveryLogLine, Mailer } from '#server/platform/email/mailer.ts'
import type { ReportLogLine, RequestLogLine } from '#server/platform/middleware/request-log.ts'
import type { RateLimiters } from '#server/platform/rate-limit.ts'
import type { StockLogLine, StockSnapshot } from '#server/stock/stock-snapshot.ts'
import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import type { Config } from './env.ts'

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
