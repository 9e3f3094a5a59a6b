import type { CatalogueSource } from '#server/catalogue/catalogue-source.ts'
import type {
  CatalogueLogLine,
  CatalogueStore,
  PublishedCatalogue,
} from '#server/catalogue/published-catalogue.ts'
import type { ContentSource } from '#server/content/content-source.ts'
import type { PaymentLogLine, Payments } from '#server/payments/providers/provider.ts'
import type { HashQueue } from '#server/platform/auth/hash-queue.ts'
import type { Database } from '#server/platform/db/client.ts'
import type { DeliveryLogLine, Mailer } from '#server/platform/email/mailer.ts'
import type { ReportLogLine, RequestLogLine } from '#server/platform/middleware/request-log.ts'
import type { RateLimiters } from '#server/platform/rate-limit.ts'
import type { StockLogLine, StockSnapshot } from '#server/stock/stock-snapshot.ts'
import type { PushSender } from '#server/team/push.ts'
import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import type { Config } from './env.ts'

/** The dependencies of data access. The office and the command line use them too. */
export type DataContext = {
  db: Database
  clock: () => number
  randomBytes: (length: number) => Uint8Array<ArrayBuffer>
}

export type PhotoStore = Pick<R2Bucket, 'get' | 'put'>

export type CatalogueContext = DataContext & { catalogueStore: CatalogueStore }

/** The dependencies of pricing an order. The office and the command line use them too. */
export type PricingContext = Pick<ServiceContext, 'clock' | 'delivery'> & {
  catalogue: Pick<CatalogueSource, 'load'>
  content: Pick<ContentSource, 'current'>
}

/** All dependencies of the shop's Worker. `worker.ts` creates them from the bindings; tests pass their own. */
export type ServiceContext = CatalogueContext & {
  config: Config
  catalogue: CatalogueSource
  /** The catalogue as published, without stock levels and current sale prices. */
  publishedCatalogue: Pick<PublishedCatalogue, 'file' | 'content' | 'loadContent' | 'refresh' | 'show'>
  content: ContentSource
  photos: PhotoStore
  stock: StockSnapshot
  hashQueue: HashQueue
  mailer: Mailer
  payments: Payments
  /** The delivery terms without those of cash on delivery, which are published content. */
  delivery: DeliveryTerms
  limits: RateLimiters
  push?: PushSender | undefined
  /**
   * Sends due alerts together with the shop's email notices. If undefined, alerts wait for the next housekeeping
   * run.
   */
  deliverAlerts?: () => Promise<void>
  /** Keeps the Worker alive for work after the response. */
  background: (work: Promise<unknown>) => void
  version: string
  log: (
    line: RequestLogLine | DeliveryLogLine | ReportLogLine | PaymentLogLine | StockLogLine | CatalogueLogLine,
  ) => void
}
