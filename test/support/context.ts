import { env } from 'cloudflare:workers'
import { type CatalogueSource, readCatalogueFile } from '#server/catalogue/catalogue-source.ts'
import {
  type CatalogueStore,
  createPublishedCatalogue,
  DEFAULT_CONTENT_TEXT,
} from '#server/catalogue/published-catalogue.ts'
import type { ContentValues } from '#server/content/content-schema.ts'
import { type ContentSource, createPublishedContent } from '#server/content/content-source.ts'
import type { ServiceContext } from '#server/context.ts'
import { parseConfig } from '#server/env.ts'
import type { PaymentLogLine } from '#server/payments/providers/provider.ts'
import { createHashQueue, type DeriveKey, deriveKey } from '#server/platform/auth/hash-queue.ts'
import { type OwnerContext, requireOwner } from '#server/platform/auth/owner-context.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import { connectDatabase } from '#server/platform/db/client.ts'
import type { DeliveryLogLine } from '#server/platform/email/mailer.ts'
import type { CspViolationLogLine, RequestLogLine } from '#server/platform/middleware/request-log.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { catalogueSchema } from '#shared/catalogue/catalogue-schema.ts'
import { createDeliveryTerms } from '#shared/checkout/delivery.ts'
import { deliverySettings } from '#shared/shop.ts'
import items from '../../public/Items.json'
import { testPayments } from './payments.ts'

/** 21 November 2026, 09:05:07 in Nairobi. */
export const NOW_MS = Date.UTC(2026, 10, 21, 6, 5, 7)

export const catalogue: Catalogue = catalogueSchema.parse(items)

type SentEmail = Parameters<ServiceContext['mailer']['send']>[0]

type Hashing = { deriveKey: DeriveKey }

type RecordingContext = ServiceContext &
  Hashing & {
    lines: RequestLogLine[]
    deliveries: DeliveryLogLine[]
    reports: CspViolationLogLine[]
    paymentLines: PaymentLogLine[]
    emails: SentEmail[]
    backgroundDone: () => Promise<void>
  }

type TestContext = OwnerContext<RecordingContext>

export function testContext(overrides: Partial<ServiceContext & Hashing> = {}): TestContext {
  const lines: RequestLogLine[] = []
  const deliveries: DeliveryLogLine[] = []
  const reports: CspViolationLogLine[] = []
  const paymentLines: PaymentLogLine[] = []
  const emails: SentEmail[] = []
  const backgroundWork: Promise<unknown>[] = []
  const ctx: Omit<RecordingContext, 'hashQueue' | 'content'> = {
    config: parseConfig({ ...env, ENVIRONMENT: 'local' }),
    catalogue: createCatalogueSource(catalogue),
    publishedCatalogue: {
      file: () => readCatalogueFile(BUILT_ASSETS),
      content: () => DEFAULT_CONTENT_TEXT,
      loadContent: async () => DEFAULT_CONTENT_TEXT,
      refresh() {},
      show: async () => {},
    },
    catalogueStore: createMemoryStore(),
    photos: (env as unknown as { PHOTOS: R2Bucket }).PHOTOS,
    stock: { current: () => ({}), version: () => 0, refresh() {} },
    db: connectDatabase((env as unknown as { DB: D1Database }).DB),
    clock: () => NOW_MS,
    // The hashes are real, but at the lowest cost, because hashing is slow by design.
    deriveKey: (password, salt, cost) => deriveKey(password, salt, { ...cost, logN: 1, p: 1 }),
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    mailer: { send: async (email) => void emails.push(email) },
    delivery: createDeliveryTerms(deliverySettings),
    payments: testPayments(),
    limits: {
      attempts: async () => true,
      network: async () => true,
      everyone: async () => true,
      writes: async () => true,
    },
    waitUntil: (work) => void backgroundWork.push(work),
    backgroundDone: async () => void (await Promise.all(backgroundWork)),
    emails,
    version: 'test',
    log(line) {
      if ('stock' in line || 'catalogue' in line) return
      if ('emailId' in line) deliveries.push(line)
      else if ('report' in line) reports.push(line)
      else if ('payment' in line) paymentLines.push(line)
      else lines.push(line)
    },
    reports,
    lines,
    paymentLines,
    deliveries,
    ...overrides,
  }
  const content = createPublishedContent(ctx.publishedCatalogue)
  return requireOwner(COMMAND_LINE_ACTOR, {
    hashQueue: createHashQueue(ctx, NO_QUEUE_DELAY),
    content,
    ...ctx,
  })
}

const NO_QUEUE_DELAY = { pauseMs: 0, maxQueue: { unknownDevice: 100, knownDevice: 100 } }

export function createContentSource(values: Partial<ContentValues>): ContentSource {
  const text = { hash: 'test', text: JSON.stringify(values) }
  return createPublishedContent({ content: () => text, loadContent: async () => text })
}

export const createCashContentSource = (
  maxKsh: number,
  counties: ContentValues['payments']['cashCounties'],
) =>
  createContentSource({
    payments: { cashOnDelivery: true, cashMaxKsh: maxKsh, cashCounties: counties, payByHand: false },
  })

export function createCatalogueSource(products: Catalogue): CatalogueSource {
  return { current: () => products, version: () => 'test', load: async () => products }
}

const BUILT_ASSETS = { fetch: async () => Response.json(items) }

export function createUnpublishedCatalogue(
  respond: () => Response | Promise<Response>,
  overrides: Partial<Parameters<typeof createPublishedCatalogue>[0]> = {},
) {
  return createPublishedCatalogue({
    store: createMemoryStore(),
    assets: { fetch: async () => respond() },
    clock: () => NOW_MS,
    waitUntil: () => {},
    log: () => {},
    ...overrides,
  })
}

export function createMemoryStore(entries = new Map<string, string>()): CatalogueStore {
  return {
    get: async (key) => entries.get(key) ?? null,
    put: async (key, value) => void entries.set(key, value),
  }
}
