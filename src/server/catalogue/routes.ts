import { Hono } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { UnavailableError } from '#server/platform/db/client.ts'
import { escapeHtml } from '#server/platform/escape-html.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { respondWithEtag } from '#server/platform/http/file-with-etag.ts'
import { getRequestOrigin } from '#server/platform/http/request.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { type Item, listProductItems } from '#shared/catalogue/items.ts'
import { getShareImageUrl } from '#shared/catalogue/pictures.ts'
import { formatNameWithSize } from '#shared/format.ts'
import { href } from '#shared/routes.ts'
import { shop, shopProfile } from '#shared/shop.ts'
import { createItemsFilePricer } from './sale-prices.ts'
import { getPhotoKey } from './store-photo.ts'

/** Google Merchant Center's limits for titles and descriptions. */
const MAX_TITLE_CHARACTERS = 150
const MAX_DESCRIPTION_CHARACTERS = 5000

type Feed = { origin: string; bytes: Uint8Array<ArrayBuffer>; etag: string }

/** `/Items.json` is specified in § 7. `/feed.xml` is for Google Merchant Center and Meta. */
export function catalogueRoutes(ctx: ServiceContext) {
  const { config, catalogue, publishedCatalogue } = ctx
  const feeds = new WeakMap<Catalogue, Feed>()

  async function getFeed(products: Catalogue, origin: string): Promise<Feed> {
    const cached = feeds.get(products)
    if (cached?.origin === origin) return cached
    const xml = renderFeed(products, origin)
    const feed = { origin, bytes: new TextEncoder().encode(xml), etag: `"${await sha256Hex(xml)}"` }
    feeds.set(products, feed)
    return feed
  }

  const pricedFile = createItemsFilePricer(ctx.clock)

  return new Hono<AppEnv>()
    .get('/Items.json', async (c) => {
      const file = await publishedCatalogue.file().catch((cause) => {
        throw new UnavailableError('The catalogue couldn’t be loaded.', { cause })
      })
      const { bytes, version } = pricedFile(file)
      return respondWithEtag(c, { bytes, etag: `"${version}"`, type: 'application/json' })
    })
    .get('/feed.xml', async (c) => {
      const products = await catalogue.load().catch((cause) => {
        throw new UnavailableError(
          'The feed couldn’t be generated because the catalogue couldn’t be loaded.',
          {
            cause,
          },
        )
      })
      const feed = await getFeed(products, getRequestOrigin(c.req, config))
      return respondWithEtag(c, { ...feed, type: 'application/rss+xml; charset=utf-8' })
    })
}

function renderFeed(products: Catalogue, origin: string): string {
  const items = products
    .flatMap(listProductItems)
    .map((item) => renderXmlElement('item', renderFeedItem(item, origin)))
  const channel = [
    renderXmlElement('title', escapeXml(shop.name)),
    renderXmlElement('link', escapeXml(`${origin}/`)),
    renderXmlElement('description', escapeXml(shopProfile.description)),
    ...items,
  ]
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">${renderXmlElement('channel', channel.join(''))}</rss>\n`
}

function renderFeedItem({ id, product, size, price, compareAtPrice }: Item, origin: string): string {
  const { title, description, category, image, left, sale } = product
  const fields = {
    'g:id': String(id),
    title: formatNameWithSize(title, size).slice(0, MAX_TITLE_CHARACTERS),
    description: description.slice(0, MAX_DESCRIPTION_CHARACTERS),
    link: origin + href('product', { id }),
    'g:image_link': new URL(getFeedImage(image), origin).href,
    'g:price': formatFeedPrice(compareAtPrice ?? price),
    ...(compareAtPrice !== undefined && {
      'g:sale_price': formatFeedPrice(price),
      ...(sale?.startsAtMs !== undefined &&
        sale.endsAtMs !== undefined && {
          'g:sale_price_effective_date': `${toIso(sale.startsAtMs)}/${toIso(sale.endsAtMs)}`,
        }),
    }),
    'g:availability': left?.[id] === 0 ? 'out_of_stock' : 'in_stock',
    'g:condition': 'new',
    'g:brand': shop.name,
    'g:product_type': category,
    // The products have no GTIN, which the feed must declare.
    'g:identifier_exists': 'no',
    ...(size ? { 'g:item_group_id': String(product.id), 'g:size': size } : {}),
  }
  return Object.entries(fields)
    .map(([name, value]) => renderXmlElement(name, escapeXml(value)))
    .join('')
}

function formatFeedPrice(priceKsh: number): string {
  return `${priceKsh.toFixed(2)} ${shopProfile.currencyIso}`
}

function toIso(ms: number): string {
  return new Date(ms).toISOString()
}

/** Google and Meta reject SVG. */
function getFeedImage(image: string): string {
  return getShareImageUrl(image) ?? (image.endsWith('.svg') ? '/images/share.png' : image)
}

function renderXmlElement(name: string, content: string): string {
  return `<${name}>${content}</${name}>`
}

function escapeXml(value: string): string {
  return escapeHtml(
    value.toWellFormed().replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, ''),
  )
}

const YEAR_SECONDS = 31_536_000

export function photoRoutes({ photos }: ServiceContext) {
  return new Hono<AppEnv>().get('/photos/:id{[\\w-]{8,16}}/:file{(320|640|1280)(\\.jpg)?}', async (c) => {
    const { id, file } = c.req.param()
    const photo = await photos.get(getPhotoKey(id, file)).catch((cause) => {
      throw new UnavailableError('The photo couldn’t be read.', { cause })
    })
    if (!photo) return c.notFound()
    return c.body(photo.body, 200, {
      'Content-Type': photo.httpMetadata?.contentType ?? 'application/octet-stream',
      'Cache-Control': `public, max-age=${YEAR_SECONDS}, immutable`,
      ETag: photo.httpEtag,
    })
  })
}
