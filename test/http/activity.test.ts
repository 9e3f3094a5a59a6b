import { expect, it } from 'vitest'
import { logIn, newUserDetails, register, type SignedIn } from '#test/support/auth-calls.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { get, postJson } from '#test/support/posting.ts'

const ANDROID =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36'

const readActivity = async ({ token }: SignedIn) => {
  const response = await get(testContext(), '/api/auth/activity', { Authorization: `Bearer ${token}` })
  return { status: response.status, body: (await response.json()) as { events: unknown[] } }
}

it('an account’s activity is listed for its owner, newest first', async () => {
  const person = newUserDetails()
  await register(person)
  const later = testContext({ clock: () => NOW_MS + 1000 })
  const headers = { 'User-Agent': ANDROID }
  const signedIn = await postJson(later, '/api/auth/login', person, headers)
  await logIn({ ...person, password: 'not-this-one' })
  const { status, body } = await readActivity((await signedIn.json()) as SignedIn)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.events).toEqual([
    { kind: 'signed_in', atMs: NOW_MS + 1000, browser: 'Chrome on Android', country: null },
    { kind: 'registered', atMs: NOW_MS, browser: 'Unknown browser', country: null },
  ])
})

it('an account’s activity excludes other accounts’ events, and requires a session', async () => {
  const person = newUserDetails()
  await register(newUserDetails())
  const { body } = await readActivity((await (await register(person)).json()) as SignedIn)
  expect(body.events).toHaveLength(1)
  await expectStatus(await get(testContext(), '/api/auth/activity'), 401)
})
