import shop, { Housekeeping, OrderLinks, Preview } from '#server/worker.ts'

type DevBindings = Parameters<typeof shop.fetch>[1] & { OFFICE: Fetcher; OFFICE_PORT: string }

export { Housekeeping, OrderLinks, Preview }

// biome-ignore lint/style/noDefaultExport: workerd takes the entry point from it.
export default {
  ...shop,
  fetch: (request, env, context) =>
    new URL(request.url).port === env.OFFICE_PORT
      ? env.OFFICE.fetch(request)
      : shop.fetch(request, env, context),
} satisfies ExportedHandler<DevBindings>
