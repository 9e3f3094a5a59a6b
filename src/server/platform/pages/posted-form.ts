import type { Context } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import type { FormFields } from '#server/platform/http/body.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { FormProblem } from '#shared/api-call.ts'
import { errors } from '#shared/errors.ts'
import type { FormResult, PageData } from '#shared/page-data.ts'

/** Pages with a form that browsers post to the page itself, before or without its script. */
export type FormPage =
  | 'contact'
  | 'login'
  | 'register'
  | 'forgotPassword'
  | 'resetPassword'
  | 'accountDetails'
  | 'accountPassword'
  | 'accountDevices'
  | 'accountData'
  | 'checkout'
  | 'findOrder'

/** A posted form. Cookies and headers of the response are set on `c`. */
export type PostedForm = { c: Context<AppEnv>; ctx: ServiceContext; field: FormFields }

/** What posting a page's form does. */
export type FormAction<Name extends FormPage> = {
  /** Acts on the form; the visitor is redirected to `redirectTo`, gets the response, or without either the page again. */
  submit: (form: PostedForm) => Promise<Result<{ redirectTo?: string } | Response>>
  /**
   * What the page shows after the form was posted; `error` is undefined on success. `load` reads what the page shows
   * without a form.
   */
  pageData: (
    field: FormFields,
    error: ServiceError | undefined,
    load: () => Promise<PageData[Name]>,
  ) => PageData[Name] | Promise<PageData[Name]>
}

/** Page data that shows the `shown` fields again when the form failed: never a password. */
export function formResult(shown: readonly string[]) {
  return (field: FormFields, error: ServiceError | undefined): FormResult => {
    if (!error) return { values: {}, outcome: { kind: 'done' } }
    const { code, message = errors[code].message, fieldErrors = {} } = error
    const outcome = { kind: 'failed', code, message, errors: fieldErrors } as const
    return { values: valuesOf(field, shown), outcome }
  }
}

/** The failure of a form by its rules. */
export function invalidFields({ message, fields }: FormProblem<string>): { ok: false; error: ServiceError } {
  const fieldErrors = Object.fromEntries(fields.map((name) => [name, message]))
  return { ok: false, error: { code: 'invalid_fields', message, fieldErrors } }
}

/** The posted values of a form's fields. */
export function valuesOf<Field extends string>(field: FormFields, names: readonly Field[]) {
  return Object.fromEntries(names.map((name) => [name, field(name)])) as Record<Field, string>
}
