import * as z from 'zod/mini'

/** A form's field: a missing one, or one that is no text, counts as empty; the form's rules have the message for it. */
export const formText = z.catch(z.string(), '')

/** One line, trimmed: control characters become the spaces they stand for. */
const oneLine = (value: string) => value.replace(/\p{Cc}+/gu, ' ').trim()

/** A form's field by § 5, after `clean`: a missing one counts as empty, and `problemOf` has the message for it. */
export function ruledText(problemOf: (value: string) => string | undefined, clean = oneLine) {
  return z.pipe(
    z.pipe(z._default(z.string('Please enter text.'), ''), z.transform(clean)),
    z.string().check(({ value, issues }) => {
      const message = problemOf(value)
      if (message) issues.push({ code: 'custom', message, input: value })
    }),
  )
}
