import { type Context, Hono } from 'hono'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { CATALOGUE_PATH, PREVIEW_PATH, PUBLISH_PATH } from '#office/platform/sections.ts'
import { readDraft, serializeDraft, serializeDraftContent } from '#server/catalogue/draft.ts'
import { parseDraftCatalogue } from '#server/catalogue/publish-draft.ts'
import { matchRoute } from '#shared/routes.ts'

const PREVIEWED_PAGES = ['home', 'shop', 'product', 'about', 'contact']

/** The shop renders drafts only through a service binding, not for public requests. */
export function previewRoutes(ctx: OfficeContext) {
  async function renderPage(c: Context<OfficeEnv>, path: string): Promise<Response> {
    const draft = await readDraft(c.var.ownerContext())
    // The publish page lists the problems of an invalid draft.
    if (!parseDraftCatalogue(draft)) return c.redirect(PUBLISH_PATH, 303)
    const rendered = await ctx.renderPreview(path, {
      items: serializeDraft(draft),
      content: serializeDraftContent(draft),
    })
    const { status, headers } = rendered
    const type = headers.get('Content-Type') ?? 'text/html'
    return createPreviewRewriter().transform(
      new Response(rendered.body, { status, headers: { 'Content-Type': type } }),
    )
  }

  return new Hono<OfficeEnv>()
    .get(PREVIEW_PATH, (c) => renderPage(c, '/products'))
    .get(`${PREVIEW_PATH}/*`, (c, next) => {
      const { pathname, search } = new URL(c.req.url)
      const path = pathname.slice(PREVIEW_PATH.length)
      return PREVIEWED_PAGES.includes(matchRoute(path).name) ? renderPage(c, path + search) : next()
    })
}

const PREVIEW_NOTICE = `<aside class="announcement" aria-label="Preview"><p><strong>Draft preview.</strong> Customers can’t see this yet. <a href="${CATALOGUE_PATH}">Back to the catalogue</a></p></aside>`

function createPreviewRewriter(): HTMLRewriter {
  return new HTMLRewriter()
    .on('script', { element: (element) => void element.remove() })
    .on('a[href^="/"]', {
      element(link) {
        const href = link.getAttribute('href') ?? ''
        const { name } = matchRoute(new URL(href, 'https://localhost').pathname)
        if (PREVIEWED_PAGES.includes(name)) link.setAttribute('href', PREVIEW_PATH + href)
        else link.removeAttribute('href')
      },
    })
    .on('form[action^="/"]', {
      element: (form) => void form.setAttribute('action', PREVIEW_PATH + (form.getAttribute('action') ?? '')),
    })
    .on('button[type="button"], form[method="post"] button, .contact__form button', {
      element: (button) => void button.setAttribute('disabled', ''),
    })
    .on('body', { element: (body) => void body.prepend(PREVIEW_NOTICE, { html: true }) })
}
