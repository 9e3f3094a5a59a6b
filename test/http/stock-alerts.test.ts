import { count, eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import type { ServiceContext } from '#server/context.ts'
import { runHousekeeping } from '#server/housekeeping.ts'
import { outbox, stockAlerts } from '#server/platform/db/schema.ts'
import { queueBackInStockEmails } from '#server/stock/alerts.ts'
import { setStock as setUnits } from '#server/stock/set-stock.ts'
import { listProductItems } from '#shared/catalogue/items.ts'
import { catalogue, createCatalogueSource, NOW_MS, testContext } from '#test/support/context.ts'
import { HOSTILE_TEXTS } from '#test/support/hostile.ts'
import { get, postForm, postJson } from '#test/support/posting.ts'
import { setStock } from '#test/support/stock.ts'

const [ITEM, OTHER] = [2, 5]
let emailCount = 0
const newEmail = () => `waits-${++emailCount}@shopper.test`

const requestAlert = (ctx: ServiceContext, body: unknown) => postJson(ctx, '/api/stock/alerts', body)
const selectAlerts = async ({ db }: ServiceContext, email: string) =>
  (await db.select({ n: count() }).from(stockAlerts).where(eq(stockAlerts.email, email)).get())?.n

describe('"Email me when it’s back"', () => {
  it('sends one email when the item is back in stock, and deletes the request', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 0)
    const email = newEmail()
    for (const enteredEmail of [email, ` ${email.toUpperCase()} `]) {
      const response = await requestAlert(ctx, { item: ITEM, email: enteredEmail })
      expect([response.status, await response.json()]).toEqual([201, { name: 'Kikoi Wrap Dress, S' }])
    }
    await runHousekeeping(ctx)
    expect([await selectAlerts(ctx, email), ctx.emails]).toEqual([1, []])

    await setUnits({ actor: { email: 'asha@example.com', role: 'owner' }, itemId: ITEM, onHand: 3 }, ctx)
    await Promise.all([queueBackInStockEmails(ctx), queueBackInStockEmails(ctx)])
    await runHousekeeping(ctx)
    const emails = ctx.emails.filter(({ recipient }) => recipient === email)
    expect(emails).toMatchObject([
      { subject: 'Kikoi Wrap Dress, S is back in stock', text: expect.stringContaining('/product/2') },
    ])
    expect(await selectAlerts(ctx, email)).toBe(0)
    expect(await ctx.db.select().from(outbox).where(eq(outbox.recipient, email))).toEqual([])
  })

  it('is cancelled by a one-click unsubscribe request, not by opening the link in the email', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 0)
    await setStock(ctx, OTHER, 0)
    const email = newEmail()
    await requestAlert(ctx, { item: ITEM, email })
    await requestAlert(ctx, { item: OTHER, email })
    await setUnits({ actor: { email: 'asha@example.com', role: 'owner' }, itemId: ITEM, onHand: 1 }, ctx)
    await runHousekeeping(ctx)
    const [sentEmail] = ctx.emails
    const link = new URL(sentEmail?.unsubscribeLink ?? '')
    expect(sentEmail?.text).toContain(link.href)
    const path = link.pathname + link.search
    const opened = await get(ctx, path)
    expect([opened.status, await selectAlerts(ctx, email)]).toEqual([200, 1])
    expect((await postForm(ctx, path.replace(/.{3}$/, 'xxx'), {})).status).toBe(400)
    expect(await selectAlerts(ctx, email)).toBe(1)
    // Email clients send this request (RFC 8058).
    expect((await postForm(ctx, path, { 'List-Unsubscribe': 'One-Click' })).status).toBe(200)
    expect(await selectAlerts(ctx, email)).toBe(0)
  })

  it('keeps a request while its product is hidden', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 0)
    const email = newEmail()
    await requestAlert(ctx, { item: ITEM, email })
    await setStock(ctx, ITEM, 3)
    const visible = catalogue.filter((product) => listProductItems(product).every(({ id }) => id !== ITEM))
    await runHousekeeping({ ...ctx, catalogue: createCatalogueSource(visible) })
    expect([await selectAlerts(ctx, email), ctx.emails]).toEqual([1, []])
    await runHousekeeping(ctx)
    expect(ctx.emails.map(({ recipient }) => recipient)).toEqual([email])
  })

  it('deletes a request after half a year', async () => {
    const ctx = testContext()
    await setStock(ctx, ITEM, 0)
    const email = newEmail()
    await requestAlert(ctx, { item: ITEM, email })
    await runHousekeeping({ ...ctx, clock: () => NOW_MS + 181 * 86_400_000 })
    expect(await selectAlerts(ctx, email)).toBe(0)
  })

  it('is limited per network, and to 20 items per email address', async () => {
    const limits = { ...testContext().limits, writes: async () => false }
    const refused = await requestAlert(testContext({ limits }), { item: ITEM, email: newEmail() })
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60'])
    const ctx = testContext()
    const email = newEmail()
    for (const { id } of (await ctx.catalogue.load()).slice(0, 22))
      await requestAlert(ctx, { item: id, email })
    expect(await selectAlerts(ctx, email)).toBe(20)
  })

  it('needs no JavaScript, and escapes hostile input', async () => {
    const ctx = testContext()
    const email = newEmail()
    const done = await postForm(ctx, '/back-in-stock', { item: String(ITEM), email })
    expect([done.status, await selectAlerts(ctx, email)]).toEqual([200, 1])
    expect(await done.text()).toContain('once, as soon as Kikoi Wrap Dress, S is back in stock.')
    const wrong = await postForm(ctx, '/back-in-stock', { item: String(ITEM), email: 'nobody' })
    expect(wrong.status).toBe(400)
    expect(await wrong.text()).toMatch(/value="nobody".*Please enter a valid email\./s)
    for (const text of HOSTILE_TEXTS) {
      const hostile = text.toWellFormed()
      for (const fields of [
        { item: hostile, email: newEmail() },
        { item: String(ITEM), email: hostile },
      ]) {
        const response = await postForm(ctx, '/back-in-stock', fields)
        expect([200, 400, 413, 422]).toContain(response.status)
        if (/<script|<img/i.test(text)) expect(await response.text()).not.toContain(text)
      }
      const code = encodeURIComponent(hostile.slice(0, 1000))
      expect((await get(ctx, `/back-in-stock/end?code=${code}`)).status).toBe(200)
      expect((await postForm(ctx, `/back-in-stock/end?code=${code}`, {})).status).toBe(400)
    }
  })
})
