import { createHash } from 'node:crypto'
import assets from 'virtual:client-assets'
import { Hono } from 'hono'
import photosSource from '#office/catalogue/photos.script.js?raw'
import type { OfficeContext } from '#office/context.ts'
import { colours } from '#shared/colours.ts'
import { shop as identity } from '#shared/shop.ts'
import css from './office.css?inline'
import officeSource from './office.script.js?raw'
import serviceWorker from './service-worker.script.js?raw'

const YEAR_SECONDS = 31_536_000
const DAY_SECONDS = 86_400

const fontFaces = assets.fonts
  .map((url) => {
    const [family, weight] = url.includes('fraunces') ? ['Fraunces', '100 900'] : ['Figtree', '300 900']
    return `@font-face{font-family:'${family} Variable';src:url(${url}) format('woff2');font-weight:${weight};font-display:optional}`
  })
  .join('')
const stylesheet = fontFaces + css
// When office.script.js replaces the document, the scripts run again, and would fail on globals that they had already
// declared.
const script = `(() => {${officeSource}})()`
const photosScript = `(() => {${photosSource}})()`

/** The paths contain a content hash, so browsers can cache the files forever. */
export const STYLESHEET_PATH = `/office-${hashContent(stylesheet)}.css`
export const SCRIPT_PATH = `/office-${hashContent(script)}.js`
export const PHOTOS_SCRIPT_PATH = `/photos-${hashContent(photosScript)}.js`

function hashContent(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 10)
}

const createIcon = (file: string, size: number, purpose: string) => ({
  src: `/icons/${file}.png`,
  sizes: `${size}x${size}`,
  type: 'image/png',
  purpose,
})
const MANIFEST = JSON.stringify({
  name: `${identity.name} office`,
  short_name: `${identity.name} office`,
  id: '/',
  start_url: '/',
  display: 'standalone',
  background_color: colours.cotton,
  theme_color: colours.cotton,
  icons: [
    createIcon('icon-192', 192, 'any'),
    createIcon('icon-512', 512, 'any'),
    createIcon('icon-maskable-512', 512, 'maskable'),
  ],
})

const SHOP_FILE_PATTERNS = [
  /^\/assets\/[\w-]+\.(woff2|css)$/,
  /^\/images\/[\w./-]+\.(svg|avif|webp|jpe?g|png)$/,
  /^\/p\/\w+\/\d+\.(avif|webp)$/,
  /^\/photos\/[\w-]{8,16}\/\d+(\.jpg)?$/,
  /^\/icons\/[\w-]+\.png$/,
  /^\/(favicon\.svg|placeholder-image\.jpg)$/,
]

export function staticFileRoutes({ shop, config }: Pick<OfficeContext, 'shop' | 'config'>) {
  const immutable = `private, max-age=${YEAR_SECONDS}, immutable`
  return new Hono()
    .get('/favicon.ico', (c) => c.redirect('/favicon.svg', 301))
    .get(STYLESHEET_PATH, (c) =>
      c.body(stylesheet, 200, { 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': immutable }),
    )
    .get(SCRIPT_PATH, (c) =>
      c.body(script, 200, { 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': immutable }),
    )
    .get('/service-worker.js', (c) =>
      c.body(serviceWorker, 200, {
        'Content-Type': 'text/javascript; charset=utf-8',
        'Cache-Control': 'private, no-cache',
      }),
    )
    .get('/manifest.webmanifest', (c) =>
      c.body(MANIFEST, 200, { 'Content-Type': 'application/manifest+json' }),
    )
    .get(PHOTOS_SCRIPT_PATH, (c) =>
      c.body(photosScript, 200, {
        'Content-Type': 'text/javascript; charset=utf-8',
        'Cache-Control': immutable,
      }),
    )
    .get('*', async (c, next) => {
      const { path } = c.req
      if (!SHOP_FILE_PATTERNS.some((pattern) => pattern.test(path)) || path.includes('..')) return next()
      const { status, body, headers } = await shop.fetch(new URL(path, config.SITE_ORIGIN ?? c.req.url))
      const type = headers.get('Content-Type')
      if (status !== 200 || !type) return next()
      return new Response(body, {
        headers: {
          'Content-Type': type,
          'Cache-Control': `private, max-age=${path.startsWith('/assets/') ? YEAR_SECONDS : DAY_SECONDS}`,
        },
      })
    })
}
