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
import type { CspViolationLogLine, RequestLogLine } from '#server/platform/middleware/request-log.ts'
import type { RateLimiters } from '#server/platform/rate-limit.ts'
import type { StockLogLine, StockSnapshot } from '#server/stock/stock-snapshot.ts'
import type { PushSender } from '#server/team/push.ts'
import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import type { Config } from './env.ts'

export type DataContext = {
  db: Database
  clock: () => number
  randomBytes: (length: number) => Uint8Array<ArrayBuffer>
}

export type PhotoStore = Pick<R2Bucket, 'get' | 'put'>

export type CatalogueContext = DataContext & { catalogueStore: CatalogueStore }

export type PricingContext = Pick<ServiceContext, 'clock' | 'delivery'> & {
  catalogue: Pick<CatalogueSource, 'load'>
  content: Pick<ContentSource, 'current'>
}

export type ServiceContext = CatalogueContext & {
  config: Config
  catalogue: CatalogueSource
  /** Excludes stock levels and current sale prices. */
  publishedCatalogue: Pick<PublishedCatalogue, 'file' | 'content' | 'loadContent' | 'refresh' | 'show'>
  content: ContentSource
  photos: PhotoStore
  stock: StockSnapshot
  hashQueue: HashQueue
  mailer: Mailer
  payments: Payments
  /** Excludes the terms of cash on delivery, which are published content. */
  delivery: DeliveryTerms
  limits: RateLimiters
  push?: PushSender | undefined
  /** If undefined, alerts wait for the next housekeeping run. */
  deliverAlerts?: () => Promise<void>
  /** Keeps the Worker alive for work after the response. */
  waitUntil: (work: Promise<unknown>) => void
  version: string
  log: (
    line:
      | RequestLogLine
      | DeliveryLogLine
      | CspViolationLogLine
      | PaymentLogLine
      | StockLogLine
      | CatalogueLogLine,
  ) => void
}
