import * as z from 'zod/mini'

/** The signed-in user as the browser knows and stores it (§ 3). Names may be empty. */
export const userSchema = z.object({
  name: z.string(),
  email: z.string(),
  firstName: z.optional(z.string()),
  lastName: z.optional(z.string()),
  address: z.optional(z.string()),
  country: z.optional(z.string()),
  state: z.optional(z.string()),
  zip: z.optional(z.string()),
})
export type User = z.infer<typeof userSchema>
