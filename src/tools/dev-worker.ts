import shop, { Housekeeping, OrderLinks, Preview } from '#server/worker.ts'

type DevBindings = Parameters<typeof shop.fetch>[1] & { OFFICE: Fetcher; OFFICE_PORT: string }

export { Housekeeping, OrderLinks, Preview }

// biome-ignore lint/style/noDefaultExport: workerd's entry point must be a default export
export default {
  ...shop,
  async fetch(request, env, context) {
    const isOffice = new URL(request.url).port === env.OFFICE_PORT
    const response = await (isOffice ? env.OFFICE.fetch(request) : shop.fetch(request, env, context))
    const policy = response.headers.get('Content-Security-Policy')
    if (!policy) return response
    const page = new Response(response.body, response)
    // Vite's error overlay has inline styles.
    page.headers.set('Content-Security-Policy', policy.replace("style-src 'self'", "$& 'unsafe-inline'"))
    return page
  },
} satisfies ExportedHandler<DevBindings>
