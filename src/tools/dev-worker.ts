import shop, { Housekeeping, OrderLinks, Preview } from '#server/worker.ts'
import { toDevPage } from './vite/dev-page.ts'

type DevBindings = Parameters<typeof shop.fetch>[1] & { OFFICE: Fetcher; OFFICE_PORT: string }

export { Housekeeping, OrderLinks, Preview }

// biome-ignore lint/style/noDefaultExport: workerd's entry point must be a default export
export default {
  ...shop,
  async fetch(request, env, context) {
    const isOffice = new URL(request.url).port === env.OFFICE_PORT
    return toDevPage(await (isOffice ? env.OFFICE.fetch(request) : shop.fetch(request, env, context)))
  },
} satisfies ExportedHandler<DevBindings>
