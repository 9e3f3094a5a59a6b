import { expect } from 'vitest'

/** On failure, the error includes the body. */
export async function expectStatus(
  response: Response | { status: number; body: unknown },
  status: number,
): Promise<void> {
  if (response.status === status) return
  expect.fail(`expected status ${status}, got ${response.status}: ${await readBody(response)}`)
}

async function readBody(response: Response | { body: unknown }): Promise<string> {
  if (!(response instanceof Response)) return JSON.stringify(response.body)
  return response.bodyUsed ? '(body already read)' : (await response.clone().text()).slice(0, 1000)
}
