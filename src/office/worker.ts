import { waitUntil } from 'cloudflare:workers'
import { connectDatabase, withDatabaseTimeout } from '#server/platform/db/client.ts'
import { createOffice } from './app.tsx'
import { type OfficeBindings, type OfficeContext, parseOfficeConfig } from './context.ts'

function createContext(env: OfficeBindings, request: Request): OfficeContext {
  return {
    config: parseOfficeConfig(env, { isDeployed: request.headers.has('CF-Ray') }),
    db: connectDatabase(withDatabaseTimeout(env.DB)),
    clock: Date.now,
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    log: (line) => console[line.level === 'error' ? 'error' : 'log'](JSON.stringify(line)),
    waitUntil,
    fetch: (...args) => fetch(...args),
    shop: env.SHOP,
    catalogueStore: env.CATALOGUE,
    photos: env.PHOTOS,
    renderPreview: (path, version) => env.PREVIEW.page(path, version),
    createOrderLink: (number) => env.ORDER_LINKS.create(number),
    promptPayment: (input) => env.ORDER_LINKS.prompt(input),
    runHousekeeping: () => env.HOUSEKEEPING.run(),
    showLatestVersion: () => env.HOUSEKEEPING.showPublished(),
    readPushKey: () => env.HOUSEKEEPING.pushKey(),
  }
}

let office: ReturnType<typeof createOffice> | undefined

export default {
  fetch(request, env, context) {
    office ??= createOffice(createContext(env, request))
    return office.fetch(request, env, context)
  },
} satisfies ExportedHandler<OfficeBindings>
