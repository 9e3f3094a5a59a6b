import { createMiddleware } from 'hono/factory'
import type { ServiceContext } from '#server/context.ts'
import { formActions, isFormPage } from '#server/form-actions.ts'
import { isOutage } from '#server/platform/db/client.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { type FormFields, parseForm } from '#server/platform/http/body.ts'
import { respondWithError } from '#server/platform/http/errors.ts'
import { DOCUMENT_HEADERS } from '#server/platform/render/document.ts'
import { errorDefinitions } from '#shared/errors.ts'
import type { FormAction, FormPage, PostedForm } from './posted-form.ts'
import {
  getRequestedPage,
  loadRequestedPage,
  type RequestedPage,
  streamRequestedPage,
} from './serve-pages.ts'

export function serveForms(ctx: ServiceContext) {
  return createMiddleware<AppEnv>(async function serveForm(c, next) {
    await ctx.content.load()
    const page = getRequestedPage(c, ctx)
    const { name } = page
    if (!isFormPage(name)) return next()
    const form = await parseForm(c)
    return form.ok ? submitForm({ ...page, name }, form.data) : respondWithError(c, form.error)
  })
}

async function submitForm<Name extends FormPage>(page: RequestedPage<Name>, field: FormFields) {
  const { c, ctx, name } = page
  const action = formActions[name]
  const result = await submit(action, { c, ctx, field })
  if (result.ok) {
    const { data } = result
    if (data instanceof Response) return data
    if (data.redirectTo) return c.redirect(data.redirectTo, 303)
  }

  const error = result.ok ? undefined : result.error
  if (error?.retryAfterSeconds) c.header('Retry-After', String(error.retryAfterSeconds))
  const load = async () => (await loadRequestedPage(page, c.var.recordFailure)).data
  const data = await action.pageData(field, error, load)
  const { body } = await streamRequestedPage(page, { status: 200, data })
  return c.body(body, error ? errorDefinitions[error.code].status : 200, DOCUMENT_HEADERS)
}

/** During an outage, the form is rendered again with its values instead of an error page. */
async function submit<Name extends FormPage>(
  action: FormAction<Name>,
  form: PostedForm,
): ReturnType<FormAction<Name>['submit']> {
  try {
    return await action.submit(form)
  } catch (error) {
    if (!isOutage(error)) throw error
    form.c.var.recordFailure(error)
    return { ok: false, error: { code: 'unavailable' } }
  }
}
