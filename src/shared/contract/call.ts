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
export function call<Request extends Schema, Response extends Schema>(
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
