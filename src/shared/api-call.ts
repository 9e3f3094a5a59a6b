import type { core } from 'zod/mini'
import * as z from 'zod/mini'

type Schema = z.ZodMiniType

export type Call<Request extends Schema = Schema, Response extends Schema = Schema> = {
  method: 'GET' | 'POST'
  /** Relative to the API base, or to the site root if it starts with `/v1/`. */
  path: string
  request: Request
  response: Response
}

export function defineCall<Request extends Schema, Response extends Schema>(
  definition: Call<Request, Response>,
): Call<Request, Response> {
  return definition
}

export const shopFailureSchema = z.object({
  message: z.string(),
  code: z.optional(z.string()),
  errors: z.optional(z.record(z.string(), z.string())),
})

export const identityFailureSchema = z.object({ error: z.object({ message: z.string() }) })

export function withParams<Definition extends Call>(
  definition: Definition,
  params: Record<string, string>,
): Definition {
  const path = definition.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  return { ...definition, path }
}

/** A missing value, or one that isn't a text, counts as an empty field. */
export const formFieldSchema = z.catch(z.string(), '')

export const toSingleLine = (value: string) => value.replace(/\p{Cc}+/gu, ' ').trim()

/** Removes control characters except line breaks and tabs. */
export const toMultiline = (value: string) =>
  value
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .trim()

export function createTextSchema(problemOf: (value: string) => string | undefined, clean = toSingleLine) {
  return z.pipe(
    z.pipe(z._default(z.string('Please enter some text.'), ''), z.transform(clean)),
    z.string().check(({ value, issues }) => {
      const message = problemOf(value)
      if (message) issues.push({ code: 'custom', message, input: value })
    }),
  )
}

export type FormProblem<Field extends string> = { message: string; fields: readonly Field[] }

export function createFormCheck<Fields extends Readonly<Record<string, string>>>(
  problemOf: (values: Fields) => FormProblem<string> | undefined,
) {
  return ({ value, issues }: core.ParsePayload<Fields>): void => {
    const problem = problemOf(value)
    for (const field of problem?.fields ?? [])
      issues.push({ code: 'custom', message: problem?.message ?? '', path: [field], input: value })
  }
}
