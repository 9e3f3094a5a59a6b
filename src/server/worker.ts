import { WorkerEntrypoint, waitUntil } from 'cloudflare:workers'
import { readLatestVersion, toPointer, type VersionText } from '#server/catalogue/catalogue-versions.ts'
import { createFixedCatalogue, createPublishedCatalogue } from '#server/catalogue/published-catalogue.ts'
import { withSalePrices } from '#server/catalogue/sale-prices.ts'
import { createPublishedContent } from '#server/content/content-source.ts'
import { promptPayment } from '#server/orders/prompt-payment.ts'
import { createPayments } from '#server/payments/providers/registry.ts'
import { createHashQueue, deriveKey } from '#server/platform/auth/hash-queue.ts'
import { signOrderUrl } from '#server/platform/auth/signed-link.ts'
import { connectDatabase, withDatabaseTimeout } from '#server/platform/db/client.ts'
import { createMailer, createPrintingMailer } from '#server/platform/email/mailer.ts'
import { getPublicOrigin } from '#server/platform/http/request.ts'
import { createPageCache } from '#server/platform/page-cache/page-cache.ts'
import { createRateLimiter } from '#server/platform/rate-limit.ts'
import { createStockSnapshot, withStockSnapshot } from '#server/stock/stock-snapshot.ts'
import { deliverAlerts } from '#server/team/deliver-alerts.ts'
import { recordServerError } from '#server/team/detect-problems.ts'
import { createPushSender } from '#server/team/push.ts'
import { createDeliveryTerms } from '#shared/checkout/delivery.ts'
import { href } from '#shared/routes.ts'
import { deliverySettings } from '#shared/shop.ts'
import { createApp, createUnconfiguredApp } from './app.ts'
import type { ServiceContext } from './context.ts'
import { type Bindings, ConfigurationError, parseEnv } from './env.ts'
import { runHousekeeping, runSchedule } from './housekeeping.ts'

const runtime = {
  clock: Date.now,
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  log: (line) => console[line.level === 'error' ? 'error' : 'log'](JSON.stringify(line)),
} satisfies Partial<ServiceContext>

function createContext(env: Partial<Bindings>, request?: Request): ServiceContext {
  const { bindings, config } = parseEnv(env, { isDeployed: request?.headers.has('CF-Ray') ?? false })
  const db = connectDatabase(withDatabaseTimeout(bindings.DB))
  const stock = createStockSnapshot({ ...runtime, db, waitUntil })
  const store = bindings.CATALOGUE
  const published = createPublishedCatalogue({
    ...runtime,
    store,
    assets: bindings.ASSETS,
    waitUntil,
  })
  const mailer = createMailer({ binding: bindings.MAIL, from: config.MAIL_FROM })
  const ctx: ServiceContext = {
    ...runtime,
    config,
    catalogue: withStockSnapshot(withSalePrices(published, runtime.clock), stock),
    publishedCatalogue: published,
    content: createPublishedContent(published),
    catalogueStore: store,
    photos: bindings.PHOTOS,
    stock,
    db,
    hashQueue: createHashQueue({ deriveKey, waitUntil }),
    mailer: config.ENVIRONMENT === 'local' ? createPrintingMailer(mailer, console.log) : mailer,
    delivery: createDeliveryTerms(deliverySettings),
    payments: createPayments(config, { db, clock: runtime.clock, waitUntil }),
    limits: {
      attempts: createRateLimiter(bindings.LIMIT_ATTEMPTS),
      network: createRateLimiter(bindings.LIMIT_NETWORK),
      everyone: createRateLimiter(bindings.LIMIT_EVERYONE),
      writes: createRateLimiter(bindings.LIMIT_WRITES),
    },
    waitUntil,
    version: bindings.VERSION?.id || 'local',
    log(line) {
      runtime.log(line)
      if ('status' in line && line.status === 500) waitUntil(recordServerError(ctx).catch(console.error))
    },
    push: createPushSender(config),
    deliverAlerts: () => deliverAlerts(ctx),
  }
  return ctx
}

type FetchHandler = NonNullable<ExportedHandler<Bindings>['fetch']>
let handleFetch: FetchHandler | undefined
let servedCatalogue: ServiceContext['publishedCatalogue'] | undefined

function createFetchHandler(ctx: ServiceContext): FetchHandler {
  servedCatalogue = ctx.publishedCatalogue
  const pageCache = createPageCache(ctx)
  const app = createApp(ctx, pageCache)
  return (request, env, context) => {
    ctx.stock.refresh()
    ctx.publishedCatalogue.refresh()
    return pageCache.respond(request) ?? app.fetch(request, env, context)
  }
}

/** The office calls these methods through a service binding. */
export class Housekeeping extends WorkerEntrypoint<Bindings> {
  async run(): Promise<void> {
    await runHousekeeping(createContext(this.env))
  }

  /** Shows the latest version in this isolate, which probably also serves the person who has just published it. */
  async showPublished(): Promise<void> {
    const latest = await readLatestVersion(createContext(this.env))
    if (latest) await servedCatalogue?.show(toPointer(latest))
  }

  async pushKey(): Promise<string | undefined> {
    return createContext(this.env).push?.publicKey
  }
}

/**
 * The office calls these methods, because it has neither the secret for order links nor access to payment providers.
 */
export class OrderLinks extends WorkerEntrypoint<Bindings> {
  async create(number: string): Promise<string> {
    const ctx = createContext(this.env)
    return signOrderUrl(new URL(href('order', { number }), getPublicOrigin(ctx.config)), ctx)
  }

  async prompt(input: Parameters<typeof promptPayment>[0]): Promise<{ problem?: string }> {
    return promptPayment(input, createContext(this.env))
  }
}

/** Renders the shop with an unpublished version. Only the office has a binding to this entrypoint. */
export class Preview extends WorkerEntrypoint<Bindings> {
  async page(path: string, { items, content }: VersionText): Promise<Response> {
    const ctx = createContext(this.env)
    const catalogue = await createFixedCatalogue(items, content)
    const app = createApp({
      ...ctx,
      catalogue: withStockSnapshot(withSalePrices(catalogue, ctx.clock), ctx.stock),
      publishedCatalogue: catalogue,
      content: createPublishedContent(catalogue),
    })
    return app.fetch(new Request(new URL(path, getPublicOrigin(ctx.config))))
  }
}

export default {
  fetch(request, env, context) {
    try {
      handleFetch ??= createFetchHandler(createContext(env, request))
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      return createUnconfiguredApp(error, runtime).fetch(request)
    }
    return handleFetch(request, env, context)
  },

  async scheduled(_controller, env) {
    await runSchedule(createContext(env))
  },
} satisfies ExportedHandler<Bindings>
