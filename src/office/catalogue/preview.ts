import { type Context, Hono } from 'hono'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { CATALOGUE_PATH, PREVIEW_PATH, PUBLISH_PATH } from '#office/platform/sections.ts'
import { draftText, readDraft } from '#server/catalogue/draft.ts'
import { draftCatalogue } from '#server/catalogue/publish-draft.ts'
import { matchRoute } from '#shared/routes.ts'

/** The pages of the shop that show products. */
const SHOWN = ['home', 'shop', 'product']

/**
 * `/catalogue/see/…`: pages of the shop with the draft. The shop renders them through a binding that has no address, so
 * nobody else can ask for them; their scripts are left out, and links lead to other pages of the preview.
 */
export function cataloguePreview(ctx: OfficeContext) {
  async function page(c: Context<OfficeEnv>, address: string): Promise<Response> {
    const draft = await readDraft(ctx)
    // The page to publish names what is wrong.
    if (!draftCatalogue(draft)) return c.redirect(PUBLISH_PATH, 303)
    const rendered = await ctx.preview(address, draftText(draft))
    const { status, headers } = rendered
    const type = headers.get('Content-Type') ?? 'text/html'
    return rewriter().transform(new Response(rendered.body, { status, headers: { 'Content-Type': type } }))
  }

  return new Hono<OfficeEnv>()
    .get(PREVIEW_PATH, (c) => page(c, '/products'))
    .get(`${PREVIEW_PATH}/*`, (c, next) => {
      const { pathname, search } = new URL(c.req.url)
      const path = pathname.slice(PREVIEW_PATH.length)
      return SHOWN.includes(matchRoute(path).name) ? page(c, path + search) : next()
    })
}

const NOTE = `<p class="page"><strong>Draft preview.</strong> Shoppers can’t see this yet. <a href="${CATALOGUE_PATH}">Back to the office</a></p>`

function rewriter(): HTMLRewriter {
  return (
    new HTMLRewriter()
      .on('script', { element: (element) => void element.remove() })
      .on('a[href^="/"]', {
        element(link) {
          const href = link.getAttribute('href') ?? ''
          const { name } = matchRoute(new URL(href, 'https://localhost').pathname)
          if (SHOWN.includes(name)) link.setAttribute('href', PREVIEW_PATH + href)
          else link.removeAttribute('href')
        },
      })
      .on('form[action^="/"]', {
        element: (form) =>
          void form.setAttribute('action', PREVIEW_PATH + (form.getAttribute('action') ?? '')),
      })
      // Without the scripts it does nothing.
      .on('button[type="button"]', { element: (button) => void button.setAttribute('disabled', '') })
      .on('body', { element: (body) => void body.prepend(NOTE, { html: true }) })
  )
}
