import type { Context } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import type { FormFields } from '#server/platform/http/body.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { FormProblem } from '#shared/api-call.ts'
import { errorDefinitions } from '#shared/errors.ts'
import type { FormResult, PageData } from '#shared/page-data.ts'

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
  | 'order'

export type PostedForm = { c: Context<AppEnv>; ctx: ServiceContext; field: FormFields }

export type FormAction<Name extends FormPage> = {
  /** If the result names a redirect or is a response, that is sent. Otherwise, the page is rendered again. */
  submit: (form: PostedForm) => Promise<Result<{ redirectTo?: string } | Response>>
  /** `error` is undefined on success. `load` reads the page's usual data. */
  pageData: (
    field: FormFields,
    error: ServiceError | undefined,
    load: () => Promise<PageData[Name]>,
  ) => PageData[Name] | Promise<PageData[Name]>
}

/** `displayedFields` are shown again, so they must not include passwords. */
export function createFormResult(displayedFields: readonly string[]) {
  return (field: FormFields, error: ServiceError | undefined): FormResult => {
    if (!error) return { values: {}, outcome: { kind: 'done' } }
    const { code, message = errorDefinitions[code].message, fieldErrors = {} } = error
    const outcome = { kind: 'failed', code, message, errors: fieldErrors } as const
    return { values: pickValues(field, displayedFields), outcome }
  }
}

export function createInvalidFieldsError({ message, fields }: FormProblem<string>): {
  ok: false
  error: ServiceError
} {
  const fieldErrors = Object.fromEntries(fields.map((name) => [name, message]))
  return { ok: false, error: { code: 'invalid_fields', message, fieldErrors } }
}

export function pickValues<Field extends string>(field: FormFields, names: readonly Field[]) {
  return Object.fromEntries(names.map((name) => [name, field(name)])) as Record<Field, string>
}
