import * as z from 'zod/mini'

/** A form's field: a missing one, or one that is no text, counts as empty; the form's rules have the message for it. */
export const formText = z.catch(z.string(), '')
