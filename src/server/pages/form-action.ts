import type { Context } from 'hono'
import type { PageData } from '#shared/page-data.ts'
import type { AppEnv } from '../app-env.ts'
import type { Deps } from '../deps.ts'
import type { FormFields } from '../http/body.ts'
import type { Result, ServiceError } from '../result.ts'

/** Pages with a form that browsers post to the page itself, before or without its script. */
export type FormPage = 'contact' | 'login' | 'register' | 'forgotPassword' | 'resetPassword'

/** A posted form. Cookies and headers of the response are set on `c`. */
export type PostedForm = { c: Context<AppEnv>; deps: Deps; field: FormFields }

/** What posting a page's form does. */
export type FormAction<Name extends FormPage> = {
  /** Acts on the form; the visitor is redirected to `redirectTo`, or without it gets the page again. */
  submit: (form: PostedForm) => Promise<Result<{ redirectTo?: string }>>
  /** What the page shows after the form was posted; `error` is undefined on success. */
  pageData: (field: FormFields, error: ServiceError | undefined) => PageData[Name]
}
