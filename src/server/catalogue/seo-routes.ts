import { Hono } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { UnavailableError } from '#server/platform/db/client.ts'
import { escapeHtml } from '#server/platform/escape-html.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { getRequestOrigin } from '#server/platform/http/request.ts'
import { INDEXED_PAGES } from '#server/platform/render/document.ts'
import { href, type Page, type RouteName, routes } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import { DAY_MS } from '#shared/time.ts'
import { listShownCategories } from './shown-categories.ts'

/** RFC 9116 recommends that a security.txt file expires in less than a year. */
const SECURITY_TXT_TTL_MS = 180 * DAY_MS

export function seoRoutes(ctx: ServiceContext) {
  const { config, catalogue, content, clock } = ctx
  return new Hono<AppEnv>()
    .get('/favicon.ico', (c) => c.redirect('/favicon.svg', 301))
    .get('/.well-known/security.txt', async (c) => {
      const { contact } = await content.load()
      const expires = new Date(clock() + SECURITY_TXT_TTL_MS).toISOString().slice(0, 10)
      return c.text(
        [
          `Contact: mailto:${contact?.email ?? shop.email}`,
          `Expires: ${expires}T00:00:00Z`,
          'Preferred-Languages: en',
          `Canonical: ${getRequestOrigin(c.req, config)}/.well-known/security.txt`,
          '',
        ].join('\n'),
      )
    })
    .get('/robots.txt', (c) =>
      c.text(
        [
          'User-agent: *',
          ...Object.values<Page>(routes)
            .filter(({ needsLogin }) => needsLogin)
            .map(({ path }) => `Disallow: ${path}`),
          'Disallow: /api/',
          `Sitemap: ${getRequestOrigin(c.req, config)}/sitemap.xml`,
          '',
        ].join('\n'),
      ),
    )
    .get('/sitemap.xml', async (c) => {
      const products = await catalogue.load().catch((cause) => {
        throw new UnavailableError(
          'The sitemap couldn’t be generated because the catalogue couldn’t be loaded.',
          {
            cause,
          },
        )
      })
      const paths = [
        ...(Object.keys(routes) as RouteName[]).flatMap((name) => listIndexedPaths(name)),
        ...listShownCategories(ctx)
          .filter((category) => category !== 'All')
          .map((category) => href('shop', {}, { category })),
        ...products.map(({ id }) => href('product', { id })),
      ]
      const origin = getRequestOrigin(c.req, config)
      const entries = paths.map((path) => `<url><loc>${escapeHtml(origin + path)}</loc></url>`)
      return c.body(
        `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>\n`,
        200,
        { 'Content-Type': 'application/xml; charset=utf-8' },
      )
    })
}

function listIndexedPaths(name: RouteName): string[] {
  const { path } = routes[name]
  return INDEXED_PAGES.includes(name) && !path.includes(':') ? [path] : []
}
