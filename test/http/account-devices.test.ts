import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { sessions } from '#server/platform/db/schema.ts'
import type { Device } from '#shared/accounts/contract.ts'
import { DAY_MS } from '#shared/time.ts'
import { createAccount, createSession } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { createUnreachableDatabase } from '#test/support/database.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { get, postForm, postJson } from '#test/support/posting.ts'

async function fetchDevices(headers: Record<string, string>, ctx = testContext()): Promise<Device[]> {
  const response = await get(ctx, '/api/account/devices', headers)
  await expectStatus(response, 200)
  return ((await response.json()) as { devices: Device[] }).devices
}

const endDevices = (which: unknown, headers: Record<string, string>) =>
  postJson(testContext(), '/api/account/devices/end', { which }, headers)

async function logInThreeDevices() {
  const ctx = testContext()
  const here = await createAccount(ctx)
  const later = testContext({ clock: () => NOW_MS + 1000 })
  return { here, second: await createSession(ctx, here.user), third: await createSession(later, here.user) }
}

describe('the devices of an account', () => {
  it('are listed by session, the current one first, without revealing session ids or secrets', async () => {
    const { here, second, third } = await logInThreeDevices()
    const devices = await fetchDevices(here.bearer)
    const [first] = devices
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      browser: 'Chrome on Android',
      country: 'KE',
      signedInAtMs: NOW_MS,
      lastSeenAtMs: NOW_MS,
      isCurrent: true,
    })
    expect(devices.map(({ isCurrent }) => isCurrent)).toEqual([true, false, false])
    expect(devices.map(({ signedInAtMs }) => signedInAtMs - NOW_MS)).toEqual([0, 1000, 0])
    const rows = await testContext().db.select().from(sessions).where(eq(sessions.userId, here.user.id))
    const known = [here, second, third].flatMap(({ token, session }) => [token, session.secret])
    for (const secret of [
      ...known,
      ...rows.flatMap(({ id, tokenHash, cookieHash }) => [id, tokenHash, cookieHash]),
    ])
      expect(JSON.stringify(devices)).not.toContain(secret)
    expect((await fetchDevices(third.cookie))[0]).toMatchObject({
      isCurrent: true,
      signedInAtMs: NOW_MS + 1000,
    })
  })

  it('have their last use updated the next day', async () => {
    const { bearer } = await createAccount(testContext())
    const nextDay = testContext({ clock: () => NOW_MS + DAY_MS })
    await fetchDevices(bearer, nextDay)
    await nextDay.backgroundDone()
    expect(await fetchDevices(bearer, nextDay)).toMatchObject([{ lastSeenAtMs: NOW_MS + DAY_MS }])
  })

  it('can be logged out one at a time, or all others at once', async () => {
    const { here, second, third } = await logInThreeDevices()
    const [, other] = await fetchDevices(here.cookie)
    const response = await endDevices(other?.id, here.cookie)
    await expectStatus(response, 200)
    expect(((await response.json()) as { devices: Device[] }).devices).toHaveLength(2)
    await expectStatus(await get(testContext(), '/api/auth/session', third.bearer), 401)
    await expectStatus(await get(testContext(), '/api/auth/session', second.cookie), 200)

    await expectStatus(await endDevices('others', here.cookie), 200)
    await expectStatus(await get(testContext(), '/api/auth/session', second.bearer), 401)
    await expectStatus(await get(testContext(), '/api/auth/session', here.bearer), 200)
    const activity = await (await get(testContext(), '/api/auth/activity', here.bearer)).text()
    expect(activity.match(/devices_signed_out/g)).toHaveLength(2)
  })

  it('can’t be logged out from another account, and the current one can’t be logged out this way', async () => {
    const own = await logInThreeDevices()
    const theirs = await logInThreeDevices()
    const [current, foreign] = await fetchDevices(theirs.here.bearer)
    const [ownCurrent] = await fetchDevices(own.here.bearer)
    const raw = [theirs.second.sessionId, theirs.second.token, own.second.sessionId]
    for (const which of [
      foreign?.id,
      current?.id,
      ownCurrent?.id,
      ...raw,
      '',
      '%',
      "' or 1=1 --",
      null,
      ['others'],
      {},
    ])
      await expectStatus(await endDevices(which, own.here.bearer), 200)
    await endDevices('others', own.here.bearer)
    expect(await fetchDevices(theirs.here.bearer)).toHaveLength(3)
    expect(await fetchDevices(own.here.bearer)).toHaveLength(1)
  })

  it('require a session; signing them out also requires the shop’s own origin and is rate limited', async () => {
    const { here } = await logInThreeDevices()
    await expectStatus(await get(testContext(), '/api/account/devices'), 401)
    await expectStatus(await endDevices('others', {}), 401)
    await expectStatus(await endDevices('others', { ...here.cookie, Origin: 'https://evil.example' }), 403)
    const limits = { ...testContext().limits, writes: async () => false }
    const limited = testContext({ limits })
    await expectStatus(
      await postJson(limited, '/api/account/devices/end', { which: 'others' }, here.bearer),
      429,
    )
    expect(await fetchDevices(here.bearer)).toHaveLength(3)
  })

  it('can be logged out on a page without JavaScript, which also reports an outage', async () => {
    const { here, second } = await logInThreeDevices()
    const page = await (await get(testContext(), '/dashboard/devices', here.cookie)).text()
    expect(page).toContain('This device')
    const [, id = ''] = /value="([0-9a-f]{32})"/.exec(page) ?? []
    const response = await postForm(testContext(), '/dashboard/devices', { which: id }, here.cookie)
    await expectStatus(response, 303)
    expect(response.headers.get('Location')).toBe('/dashboard/devices')
    expect(await fetchDevices(here.bearer)).toHaveLength(2)
    await postForm(testContext(), '/dashboard/devices', { which: 'others' }, here.cookie)
    await expectStatus(await get(testContext(), '/api/auth/session', second.bearer), 401)
    const down = await postForm(
      testContext({ db: createUnreachableDatabase() }),
      '/dashboard/devices',
      { which: id },
      here.cookie,
    )
    await expectStatus(down, 503)
    expect(await down.text()).toContain('The shop is temporarily unavailable.')
  })
})
