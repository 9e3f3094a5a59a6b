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

/** What reading and writing records takes; the office and the command line have it too. */
export type DataContext = {
  db: Database
  /** Milliseconds since the epoch. */
  clock: () => number
  /** Cryptographically random bytes. */
  randomBytes: (length: number) => Uint8Array<ArrayBuffer>
}

/** What editing and publishing the catalogue takes. */
export type CatalogueContext = DataContext & { catalogueStore: CatalogueStore }

/** Everything the shop's Worker takes from outside: `worker.ts` builds it from the bindings, tests pass their own. */
export type ServiceContext = CatalogueContext & {
  config: Config
  /** Its products say what is left of them, by the snapshot. */
  catalogue: CatalogueSource
  /** The same as it was published, without the stock: its file, and what has it read again. */
  publishedCatalogue: Pick<PublishedCatalogue, 'file' | 'refresh'>
  photos: PhotoStore
  stock: StockSnapshot
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
