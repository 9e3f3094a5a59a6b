import type * as z from 'zod/mini'

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
