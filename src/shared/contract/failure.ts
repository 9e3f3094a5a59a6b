import * as z from 'zod/mini'

/** What a failed call of the shop's API says. */
export const shopFailureSchema = z.object({
  message: z.string(),
  code: z.optional(z.string()),
  errors: z.optional(z.record(z.string(), z.string())),
})

/** What a failed call of the identity service says, in its own shape (§ 7). */
export const identityFailureSchema = z.object({ error: z.object({ message: z.string() }) })
