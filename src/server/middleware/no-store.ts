import { createMiddleware } from 'hono/factory'

/** What a call answers is for the one who asked, now: no cache keeps it. */
export const noStore = createMiddleware(async function noStore(c, next) {
  await next()
  c.header('Cache-Control', 'no-store')
})
