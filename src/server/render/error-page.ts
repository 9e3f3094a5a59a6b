import assets from 'virtual:client-assets'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import { escapeHtml } from './document.ts'

/** A whole page for a failure, which needs neither React nor the catalogue nor the database. */
export function errorPage(title: string, message: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${escapeHtml(title)} · ${shop.name}</title><link rel="stylesheet" href="${assets.stylesheet}">
<link rel="icon" href="/favicon.svg" type="image/svg+xml"></head>
<body><hr class="band"><main class="notice notice--lost"><h1>${escapeHtml(title)}</h1><p>${escapeHtml(message)}</p>
<p><a class="button" href="${href('home')}">Return Home</a></p></main></body></html>`
}
