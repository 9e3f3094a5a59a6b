import type { core } from 'zod/mini'

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
