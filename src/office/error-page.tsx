import type { Context } from 'hono'
import { renderToStaticMarkup } from 'react-dom/server.node'
import { shop } from '#shared/shop.ts'
import { sections } from './sections.ts'
import { STYLESHEET_PATH } from './static-files.ts'

/** Answers with an error; strangers get neither the style sheet nor a way on. */
export function errorPage(
  c: Context,
  status: 400 | 403 | 404 | 405 | 413 | 500 | 503,
  message: string,
): Response {
  const isKnown = c.get('identity') !== undefined
  const page = (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <title>{`${status} · ${shop.name} office`}</title>
        {isKnown ? <link rel="stylesheet" href={STYLESHEET_PATH} /> : null}
      </head>
      <body>
        <main>
          <h1>{status}</h1>
          <p>{message}</p>
          {isKnown ? (
            <p>
              <a className="button" href={sections.orders.path}>
                To the orders
              </a>
            </p>
          ) : null}
        </main>
      </body>
    </html>
  )
  return c.html(`<!doctype html>${renderToStaticMarkup(page)}`, status)
}
