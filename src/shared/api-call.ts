import type { core } from 'zod/mini'
import * as z from 'zod/mini'

type Schema = z.ZodMiniType

/** One API call, declared once for both sides: the server validates with it, the browser takes its types from it. */
export type Call<Request extends Schema = Schema, Response extends Schema = Schema> = {
  method: 'GET' | 'POST'
  /** Below the API base, or from the site root when it starts with `/v1/`. */
  path: string
  request: Request
  response: Response
}

/** Types a call by its schemas; changes nothing. */
export function defineCall<Request extends Schema, Response extends Schema>(
  definition: Call<Request, Response>,
): Call<Request, Response> {
  return definition
}

/** The body of a failed call of the shop's API. */
export const shopFailureSchema = z.object({
  message: z.string(),
  code: z.optional(z.string()),
  errors: z.optional(z.record(z.string(), z.string())),
})

/** The body of a failed call of the identity service (§ 7). */
export const identityFailureSchema = z.object({ error: z.object({ message: z.string() }) })

/** A call with its path parameters filled in: `:number` becomes `params.number`. */
export function withParams<Definition extends Call>(
  definition: Definition,
  params: Record<string, string>,
): Definition {
  const path = definition.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  return { ...definition, path }
}

/** A form's field: a missing one, or one that is no text, counts as empty; the form's rules have the message for it. */
export const formField = z.catch(z.string(), '')

/** One line, trimmed: control characters become spaces. */
export const oneLine = (value: string) => value.replace(/\p{Cc}+/gu, ' ').trim()

/** Lines and tabs stay, however the sender's system breaks them; other control characters go. Trimmed. */
export const manyLines = (value: string) =>
  value
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .trim()

/** A form's field by § 5, after `clean`: a missing one counts as empty, and `problemOf` has the message for it. */
export function validatedText(problemOf: (value: string) => string | undefined, clean = oneLine) {
  return z.pipe(
    z.pipe(z._default(z.string('Please enter text.'), ''), z.transform(clean)),
    z.string().check(({ value, issues }) => {
      const message = problemOf(value)
      if (message) issues.push({ code: 'custom', message, input: value })
    }),
  )
}

/** What is wrong with a form: the one message to show, and the fields it is about, in the form's order. */
export type FormProblem<Field extends string> = { message: string; fields: readonly Field[] }

/** A form's rules as a check of its request schema, one issue for each field at fault. */
export function formRules<Fields extends Readonly<Record<string, string>>>(
  problemOf: (values: Fields) => FormProblem<string> | undefined,
) {
  return ({ value, issues }: core.ParsePayload<Fields>): void => {
    const problem = problemOf(value)
    for (const field of problem?.fields ?? [])
      issues.push({ code: 'custom', message: problem?.message ?? '', path: [field], input: value })
  }
}
