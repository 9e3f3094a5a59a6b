import { count, eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import type { Deps } from '#server/context.ts'
import { runHousekeeping } from '#server/housekeeping.ts'
import { outbox, stockAlerts } from '#server/platform/db/schema.ts'
import { queueAlerts } from '#server/stock/alerts.ts'
import { setStock as setUnits } from '#server/stock/set.ts'
import { NOW_MS, testDeps } from '#test/support/deps.ts'
import { HOSTILE_TEXTS } from '#test/support/hostile.ts'
import { setStock } from '#test/support/stock.ts'

const ORIGIN = 'https://pamba.test'
const [ITEM, OTHER] = [2, 5]
let people = 0
const newAddress = () => `waits-${++people}@shopper.test`

const ask = (deps: Deps, body: unknown) =>
  createApp(deps).request(`${ORIGIN}/api/stock/alerts`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
const postForm = (deps: Deps, path: string, fields: Record<string, string>) =>
  createApp(deps).request(ORIGIN + path, { method: 'POST', body: new URLSearchParams(fields) })
const waitingFor = async ({ db }: Deps, email: string) =>
  (await db.select({ n: count() }).from(stockAlerts).where(eq(stockAlerts.email, email)).get())?.n

describe('"Tell me when it is back"', () => {
  it('sends one mail once the item is there again, and forgets the address', async () => {
    const deps = testDeps()
    await setStock(deps, ITEM, 0)
    const email = newAddress()
    for (const typed of [email, ` ${email.toUpperCase()} `]) {
      const response = await ask(deps, { item: ITEM, email: typed })
      expect([response.status, await response.json()]).toEqual([201, { name: 'Kikoi Wrap Dress, S' }])
    }
    await runHousekeeping(deps)
    expect([await waitingFor(deps, email), deps.mails]).toEqual([1, []])

    await setUnits({ itemId: ITEM, onHand: 3 }, deps)
    await Promise.all([queueAlerts(deps), queueAlerts(deps)])
    await runHousekeeping(deps)
    const mails = deps.mails.filter(({ recipient }) => recipient === email)
    expect(mails).toMatchObject([
      { subject: 'Kikoi Wrap Dress, S is back', text: expect.stringContaining('/product/2') },
    ])
    expect(await waitingFor(deps, email)).toBe(0)
    expect(await deps.db.select().from(outbox).where(eq(outbox.recipient, email))).toEqual([])
  })

  it('ends by one click in the mail, and not by opening its link', async () => {
    const deps = testDeps()
    await setStock(deps, ITEM, 0)
    await setStock(deps, OTHER, 0)
    const email = newAddress()
    await ask(deps, { item: ITEM, email })
    await ask(deps, { item: OTHER, email })
    await setUnits({ itemId: ITEM, onHand: 1 }, deps)
    await runHousekeeping(deps)
    const [mail] = deps.mails
    const link = new URL(mail?.unsubscribeLink ?? '')
    expect(mail?.text).toContain(link.href)
    const path = link.pathname + link.search
    const opened = await createApp(deps).request(ORIGIN + path)
    expect([opened.status, await waitingFor(deps, email)]).toEqual([200, 1])
    expect((await postForm(deps, path.replace(/.{3}$/, 'xxx'), {})).status).toBe(400)
    expect(await waitingFor(deps, email)).toBe(1)
    // As mail programs post it (RFC 8058).
    expect((await postForm(deps, path, { 'List-Unsubscribe': 'One-Click' })).status).toBe(200)
    expect(await waitingFor(deps, email)).toBe(0)
  })

  it('forgets an address after half a year', async () => {
    const deps = testDeps()
    await setStock(deps, ITEM, 0)
    const email = newAddress()
    await ask(deps, { item: ITEM, email })
    await runHousekeeping({ ...deps, clock: () => NOW_MS + 181 * 86_400_000 })
    expect(await waitingFor(deps, email)).toBe(0)
  })

  it('is limited by network, and to twenty items for an address', async () => {
    const limits = { ...testDeps().limits, writes: async () => false }
    const refused = await ask(testDeps({ limits }), { item: ITEM, email: newAddress() })
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60'])
    const deps = testDeps()
    const email = newAddress()
    for (const { id } of (await deps.catalogue.load()).slice(0, 22)) await ask(deps, { item: id, email })
    expect(await waitingFor(deps, email)).toBe(20)
  })

  it('works without scripts, and gives hostile input back as text', async () => {
    const deps = testDeps()
    const email = newAddress()
    const done = await postForm(deps, '/back-in-stock', { item: String(ITEM), email })
    expect([done.status, await waitingFor(deps, email)]).toEqual([200, 1])
    expect(await done.text()).toContain('as soon as Kikoi Wrap Dress, S is back')
    const wrong = await postForm(deps, '/back-in-stock', { item: String(ITEM), email: 'nobody' })
    expect(wrong.status).toBe(400)
    expect(await wrong.text()).toMatch(/value="nobody".*Please enter a valid email\./s)
    for (const text of HOSTILE_TEXTS) {
      const hostile = text.toWellFormed()
      for (const fields of [
        { item: hostile, email: newAddress() },
        { item: String(ITEM), email: hostile },
      ]) {
        const response = await postForm(deps, '/back-in-stock', fields)
        expect([200, 400, 413, 422]).toContain(response.status)
        if (/<script|<img/i.test(text)) expect(await response.text()).not.toContain(text)
      }
      const code = encodeURIComponent(hostile.slice(0, 1000))
      expect((await createApp(deps).request(`${ORIGIN}/back-in-stock/end?code=${code}`)).status).toBe(200)
      expect((await postForm(deps, `/back-in-stock/end?code=${code}`, {})).status).toBe(400)
    }
  })
})
