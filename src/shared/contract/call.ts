import * as z from 'zod/mini'

type Schema = z.ZodMiniType

/** One API call, said once for both sides: the server validates with it, the browser is typed by it. */
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

/** What a failed call of the shop's API says. */
export const shopFailureSchema = z.object({
  message: z.string(),
  code: z.optional(z.string()),
  errors: z.optional(z.record(z.string(), z.string())),
})

/** What a failed call of the identity service says, in its own shape (§ 7). */
export const identityFailureSchema = z.object({ error: z.object({ message: z.string() }) })

/** A call at the address that its parameters name: `:number` in its path becomes `params.number`. */
export function withParams<Definition extends Call>(
  definition: Definition,
  params: Record<string, string>,
): Definition {
  const path = definition.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  return { ...definition, path }
}
