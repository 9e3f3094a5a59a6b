import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { parseForm } from '#server/platform/http/body.ts'
import type { ServiceError } from '#server/platform/result.ts'
import { renderErrorPage } from './layout.tsx'

/** The longest a form waits for housekeeping, so that the next page can usually show the result. */
const HOUSEKEEPING_WAIT_MS = 3000

/** An empty field is valid. If the field is missing, the form is out of date. */
export const formTextSchema = z.string()

export async function readForm<Schema extends z.ZodMiniObject>(
  c: Context<OfficeEnv>,
  schema: Schema,
): Promise<z.infer<Schema> | Response> {
  const form = await parseForm(c)
  if (!form.ok) return renderFormError(c, form.error)
  const fields = Object.keys(schema.shape).map((name) => [name, form.data(name)])
  const { success, data } = schema.safeParse(Object.fromEntries(fields))
  return success ? data : renderFormError(c)
}

/** `done` is a query parameter of the address that a form redirects to. */
export function findSuccessMessage(messages: Record<string, string>, done = ''): string | undefined {
  return Object.hasOwn(messages, done) ? messages[done] : undefined
}

export function renderFormError(c: Context, error?: ServiceError): Response {
  return error?.code === 'too_large'
    ? renderErrorPage(
        c,
        413,
        'This is too much text to save at once. Please go back, shorten it and try again.',
      )
    : renderErrorPage(c, 400, 'This form is out of date. Please go back, reload the page and try again.')
}

/** Moves redirects to `X-Office-Location` for office.script.js, because its `fetch` would follow a redirect itself. */
export const respondToScriptedForms = createMiddleware(async function respondToScriptedForms(c, next) {
  await next()
  const location = c.res.headers.get('Location')
  if (!location || !c.req.header('X-Office-Form')) return
  c.res = new Response(null, { status: 204, headers: { 'X-Office-Location': location } })
})

export async function startHousekeeping(
  c: Context<OfficeEnv>,
  { waitUntil, runHousekeeping }: Pick<OfficeContext, 'waitUntil' | 'runHousekeeping'>,
): Promise<void> {
  // If this fails, the next scheduled run does the same work.
  const work = runHousekeeping().catch((error: unknown) => c.var.recordFailure(error))
  waitUntil(work)
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, HOUSEKEEPING_WAIT_MS)
  await Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
