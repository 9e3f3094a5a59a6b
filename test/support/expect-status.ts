import { expect } from 'vitest'

/** Asserts a response’s status; a failure shows the body. */
export async function expectStatus(
  answer: Response | { status: number; body: unknown },
  status: number,
): Promise<void> {
  if (answer.status === status) return
  expect.fail(`answered ${answer.status}, not ${status}: ${await textOf(answer)}`)
}

async function textOf(answer: Response | { body: unknown }): Promise<string> {
  if (!(answer instanceof Response)) return JSON.stringify(answer.body)
  return answer.bodyUsed ? '(its body was read before)' : (await answer.clone().text()).slice(0, 1000)
}
