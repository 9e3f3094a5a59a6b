import type { ClientAssets } from 'virtual:client-assets'
import { listShownCategories } from '#server/catalogue/shown-categories.ts'
import { getDeliveryTerms } from '#server/content/delivery-terms.ts'
import type { ServiceContext } from '#server/context.ts'
import { escapeHtml } from '#server/platform/escape-html.ts'
import { BOOT_BLOCK_ID, type Boot, serializeDataBlock } from '#shared/boot.ts'
import { CATEGORIES } from '#shared/catalogue/catalogue.ts'
import { colours } from '#shared/colours.ts'
import { formatDocumentTitle, type PageName } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'

export const DOCUMENT_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'private, no-cache',
  Vary: 'Cookie, Save-Data',
}

/** Search engines may list these pages. A page's own `head` can exclude it. */
export const INDEXED_PAGES: readonly PageName[] = [
  'home',
  'shop',
  'product',
  'about',
  'contact',
  'login',
  'register',
]

export function createBoot(
  name: PageName,
  ctx: ServiceContext,
  request: Pick<
    Boot,
    'cookieUser' | 'isSessionRenewalDue' | 'savesData' | 'nowMs' | 'clock' | 'timeZone' | 'year'
  >,
): Boot {
  const { config, content } = ctx
  const { API_BASE, CHAT_SCRIPT_URL, PAYMENTS, SERVICE_WORKER } = config
  const { hero, contact } = content.current()
  const categories = listShownCategories(ctx)
  return {
    apiBase: API_BASE ?? '/api',
    payments: PAYMENTS,
    delivery: getDeliveryTerms(ctx),
    hasServiceWorker: SERVICE_WORKER === 'on',
    storedAtMs: null,
    isSlow: false,
    requestedPath: null,
    chatScript: (name === 'home' && CHAT_SCRIPT_URL) || null,
    hasChatWidget: Boolean(CHAT_SCRIPT_URL),
    hero,
    contact: contact && { email: contact.email, whatsapp: contact.whatsapp },
    categories: categories === CATEGORIES ? null : categories,
    ...request,
  }
}

export type PageHead = {
  title: string
  previewTitle?: string
  description: string
  canonical?: string
  image: { url: string; width?: number; height?: number }
  jsonLd: readonly object[]
  isIndexed: boolean
}

function renderMeta(attribute: 'name' | 'property', key: string, content: string | number): string {
  return `<meta ${attribute}="${key}" content="${escapeHtml(String(content))}">`
}

function renderPageMeta(head: PageHead): string {
  const { title, previewTitle, description, canonical, image, jsonLd, isIndexed } = head
  const fullTitle = formatDocumentTitle(title)
  return [
    `<title>${escapeHtml(fullTitle)}</title>`,
    renderMeta('name', 'description', description),
    isIndexed ? '' : renderMeta('name', 'robots', 'noindex'),
    canonical
      ? `<link rel="canonical" href="${escapeHtml(canonical)}">${renderMeta('property', 'og:url', canonical)}`
      : '',
    renderMeta('property', 'og:type', 'website'),
    renderMeta('property', 'og:site_name', shop.name),
    renderMeta('property', 'og:title', previewTitle ?? fullTitle),
    renderMeta('property', 'og:description', description),
    renderMeta('property', 'og:image', image.url),
    image.width ? renderMeta('property', 'og:image:width', image.width) : '',
    image.height ? renderMeta('property', 'og:image:height', image.height) : '',
    renderMeta('name', 'twitter:card', 'summary_large_image'),
    ...jsonLd.map((block) => `<script type="application/ld+json">${serializeDataBlock(block)}</script>`),
  ].join('')
}

export function renderDocumentStart(
  head: PageHead,
  bootJson: string,
  assets: ClientAssets,
  { savesData, banner }: { savesData: boolean; banner: string },
): string {
  return [
    `<!doctype html><html lang="en"${savesData ? ' class="saves-data"' : ''}><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">',
    `<link rel="stylesheet" href="${assets.stylesheet}">`,
    ...(savesData ? [] : assets.fonts).map(
      (font) => `<link rel="preload" href="${font}" as="font" type="font/woff2" crossorigin>`,
    ),
    renderPageMeta(head),
    `<meta name="theme-color" content="${colours.cotton}"><link rel="icon" href="/favicon.svg" type="image/svg+xml">`,
    '<link rel="apple-touch-icon" href="/icons/apple-touch-icon.png"><link rel="manifest" href="/manifest.webmanifest">',
    `<script type="application/json" id="${BOOT_BLOCK_ID}">${bootJson}</script>`,
    `</head><body>${banner}<div id="root">`,
  ].join('')
}

/**
 * On a complete page, `async` would end the document before its stylesheet arrives, so Chromium would lay out a page
 * with a form twice.
 */
export function renderStartScript(
  { start, entry, pages }: ClientAssets,
  page: string,
  isStreaming: boolean,
): string {
  const scripts = [entry, ...(pages[page] ?? [])].join(' ')
  const async = isStreaming ? ' async' : ''
  return `<script type="module"${async} fetchpriority="low" src="${start}" data-scripts="${scripts}"></script>`
}

export const DOCUMENT_END = '</div></body></html>'
