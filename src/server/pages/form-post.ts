import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import { type ErrorCode, errors } from '#shared/errors.ts'
import type { PageData } from '#shared/page-data.ts'
import type { PageName } from '#shared/routes.ts'
import type { AppEnv } from '../app.ts'
import type { Deps } from '../deps.ts'
import { errorPage } from '../render/error-page.ts'
import { formPosts } from './form-posts.ts'
import { HTML_HEADERS, type PageToServe, pageToServe, renderLive } from './live.ts'

const BODY_BYTES = 64 * 1024
const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data']

/** Pages with a form that can be posted to the page itself. */
export type FormPage = 'contact' | 'login' | 'register' | 'forgotPassword' | 'resetPassword'

/** A form as it was posted. Answer cookies and headers are set on `c`. */
export type PostedForm = {
  c: Context<AppEnv>
  deps: Deps
  /** The shop's public origin. */
  origin: string
  /** A field's text; empty when it was not sent, or as a file. */
  text: (field: string) => string
}

/** What a posted form is answered with: the way on, or the page again with what came of it. */
export type FormAnswer<Name extends FormPage> =
  | { kind: 'redirect'; to: string }
  | { kind: 'page'; code?: ErrorCode; data: PageData[Name] }

export type FormPost<Name extends FormPage> = (form: PostedForm) => Promise<FormAnswer<Name>>

/** Answers a form posted to its page: the same rules as the API's, the outcome rendered into the page. */
export function serveForms(deps: Deps) {
  const limit = bodyLimit({ maxSize: BODY_BYTES, onError: (c) => refuse(c, 'too_large') })

  return createMiddleware<AppEnv>(async function serveForm(c, next) {
    const page = pageToServe(c, deps)
    const { name } = page
    if (!isFormPage(name)) return next()
    const [type = ''] = (c.req.header('Content-Type') ?? '').split(';')
    if (!FORM_TYPES.includes(type.trim().toLowerCase())) return refuse(c, 'bad_request')

    const refusal = await limit(c, async () => {})
    if (refusal) return refusal
    const fields = await c.req.parseBody().catch(() => undefined)
    if (!fields) return refuse(c, 'bad_request')

    const text = (field: string) => {
      const value = Object.hasOwn(fields, field) ? fields[field] : ''
      return typeof value === 'string' ? value.toWellFormed() : ''
    }
    return answerForm({ ...page, name }, text)
  })
}

async function answerForm<Name extends FormPage>(page: PageToServe<Name>, text: PostedForm['text']) {
  const { c, deps, name, origin } = page
  const answer = await formPosts[name]({ c, deps, origin, text })
  if (answer.kind === 'redirect') return c.redirect(answer.to, 303)
  const { body } = await renderLive(page, { status: 200, data: answer.data })
  return c.body(body, answer.code ? errors[answer.code].status : 200, HTML_HEADERS)
}

/** Whether a page has a form that can be posted to it. */
export function isFormPage(name: PageName): name is FormPage {
  return Object.hasOwn(formPosts, name)
}

function refuse(c: Context, code: ErrorCode) {
  return c.html(errorPage('That did not work', errors[code].message), errors[code].status)
}
