import type { Context } from 'hono'
import { renderToStaticMarkup } from 'react-dom/server.node'
import { shop } from '#shared/shop.ts'

/** Answers with an error that needs neither a style sheet nor to know who asks. */
export function errorPage(
  c: Context,
  status: 400 | 403 | 404 | 405 | 413 | 500 | 503,
  message: string,
): Response {
  const page = (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <title>{`${status} · ${shop.name} office`}</title>
      </head>
      <body>
        <main>
          <h1>{status}</h1>
          <p>{message}</p>
        </main>
      </body>
    </html>
  )
  return c.html(`<!doctype html>${renderToStaticMarkup(page)}`, status)
}
