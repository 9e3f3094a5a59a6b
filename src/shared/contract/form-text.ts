import type { core } from 'zod/mini'
import * as z from 'zod/mini'
import type { FormProblem } from '../rules/auth-forms.ts'

/** A form's field: a missing one, or one that is no text, counts as empty; the form's rules have the message for it. */
export const formText = z.catch(z.string(), '')

/** One line, trimmed: control characters become spaces. */
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
