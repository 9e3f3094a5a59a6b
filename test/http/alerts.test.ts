import { eq, inArray, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ServiceContext } from '#server/context.ts'
import { runHousekeeping, runSchedule } from '#server/housekeeping.ts'
import {
  alertDevices,
  alertSettings,
  alerts,
  auditLog,
  contactMessages,
  orders,
  outbox,
  payments,
  serverErrors,
  stock,
  teamMembers,
} from '#server/platform/db/schema.ts'
import { deliverAlerts } from '#server/team/deliver-alerts.ts'
import { recordServerError } from '#server/team/detect-problems.ts'
import type { PushMessage, PushOutcome } from '#server/team/push.ts'
import { formatMoney } from '#shared/format.ts'
import type { AlertKind } from '#shared/team/alerts.ts'
import { HOUR_MS } from '#shared/time.ts'
import { createAccount } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import { calculateCheckoutTotalKsh, orderRequest, postOrder } from '#test/support/orders.ts'

const OWNER = 'achieng@pamba.test'
const PACKER = 'otieno@pamba.test'
const pushKeys = { p256dh: 'B'.repeat(87), auth: 'A'.repeat(22) }
const createEndpoint = (name: string) => `https://fcm.googleapis.com/fcm/send/${name}`

let pushedMessages: (PushMessage & { to: string })[] = []
let outcome: PushOutcome = 'sent'
const push = {
  publicKey: 'key',
  async send({ endpoint }: { endpoint: string }, message: PushMessage) {
    pushedMessages.push({ to: endpoint.split('/').at(-1) ?? '', ...message })
    return outcome
  },
}
const createContextAt = (nowMs = NOW_MS, overrides: Partial<ServiceContext> = {}) =>
  testContext({ push, clock: () => nowMs, ...overrides })
const shopCtx = createContextAt()
const { db } = shopCtx
const office = officeContext()
const owner = await createOfficeClient(office)
const packer = await createOfficeClient(office, PACKER, undefined, 'packer')
const addDevice = (client: typeof owner, name: string) =>
  client.post('/alerts/devices', { endpoint: createEndpoint(name), ...pushKeys, label: `Chrome on ${name}` })
const placeOrder = async () =>
  (await postOrder(shopCtx, await createAccount(shopCtx), orderRequest())).body.order
const listTitles = () => pushedMessages.map(({ to, title }) => `${to}: ${title}`)
const selectEmails = async (recipient: string) =>
  (await db.select().from(outbox).where(eq(outbox.kind, 'alert-notice')))
    .filter((row) => row.recipient === recipient)
    .map(({ subject }) => subject)
const saveAlerts = (client: typeof owner, on: readonly string[]) =>
  client.post('/alerts', Object.fromEntries(on.map((name) => [name, 'on'])))

beforeEach(async () => {
  for (const table of [alertDevices, alertSettings, alerts, outbox, serverErrors, stock])
    await db.delete(table)
  await db.update(payments).set({ state: 'settled', nextCheckAtMs: null })
  pushedMessages = []
  outcome = 'sent'
})
describe('the alert about a new order', () => {
  it('is sent even if another one fails, which a later run sends with its email', async () => {
    await addDevice(owner, 'phone')
    await saveAlerts(owner, ['push-newOrder', 'email-newOrder'])
    const { number: failing } = await placeOrder()
    const { number } = await placeOrder()
    await db.run(
      sql.raw(
        `CREATE TRIGGER fail_alert BEFORE INSERT ON outbox WHEN new.kind = 'alert-notice' AND new.subject LIKE '%${failing}%' BEGIN SELECT raise(abort, 'not queued'); END`,
      ),
    )
    await expect(deliverAlerts(shopCtx)).rejects.toThrow()
    expect(listTitles()).toEqual([expect.stringContaining(`phone: New order ${number}`)])
    await db.run(sql`DROP TRIGGER fail_alert`)
    await deliverAlerts(shopCtx)
    expect(listTitles()).toHaveLength(2)
    expect(await selectEmails(OWNER)).toEqual([number, failing].map((name) => expect.stringContaining(name)))
  })

  it('reaches every device once, with the order’s number and, except for packers, its total', async () => {
    await addDevice(owner, 'phone')
    await addDevice(owner, 'laptop')
    await addDevice(packer, 'counter')
    const { number } = await placeOrder()
    await deliverAlerts(shopCtx)
    const sum = formatMoney(calculateCheckoutTotalKsh([{ id: 1, qty: 2 }]) * 100)
    expect(listTitles().toSorted()).toEqual([
      `counter: New order ${number}`,
      `laptop: New order ${number}: ${sum}`,
      `phone: New order ${number}: ${sum}`,
    ])
    expect(pushedMessages.every(({ url }) => url === `/orders/${number}`)).toBe(true)
    pushedMessages = []
    await deliverAlerts(shopCtx)
    expect(pushedMessages).toEqual([])
  })

  it('is sent in the background, without waiting for the scheduled run', async () => {
    let deliveries = 0
    const ctx = createContextAt(NOW_MS, {
      deliverAlerts: async () => {
        deliveries += 1
      },
    })
    await postOrder(ctx, await createAccount(ctx), orderRequest())
    await ctx.backgroundDone()
    expect(deliveries).toBeGreaterThan(0)
  })

  it('isn’t sent to anyone who turned it off, and is emailed to anyone who chose email', async () => {
    await addDevice(owner, 'phone')
    await saveAlerts(owner, ['email-newOrder'])
    const { number } = await placeOrder()
    await deliverAlerts(shopCtx)
    expect(pushedMessages).toEqual([])
    expect(await selectEmails(OWNER)).toEqual([expect.stringContaining(`New order ${number}: KSH`)])
    expect(await selectEmails(PACKER)).toEqual([])
  })
})

describe('a device', () => {
  it('is removed once its push service says that it has unsubscribed', async () => {
    await addDevice(owner, 'phone')
    outcome = 'gone'
    await placeOrder()
    await deliverAlerts(shopCtx)
    expect(await db.select().from(alertDevices)).toEqual([])
  })

  it('is sent an alert at most five times, under the same tag, while its push service fails', async () => {
    await addDevice(owner, 'phone')
    outcome = 'failed'
    await placeOrder()
    for (let run = 0; run < 8; run += 1) await deliverAlerts(shopCtx)
    expect(pushedMessages).toHaveLength(5)
    expect(new Set(pushedMessages.map(({ tag }) => tag)).size).toBe(1)
  })

  it('can be sent a test alert that no other device gets', async () => {
    await addDevice(owner, 'phone')
    await addDevice(packer, 'counter')
    const { location } = await packer.post('/alerts/test', {})
    expect(location).toBe('/alerts?done=test')
    await deliverAlerts(shopCtx)
    expect(listTitles()).toEqual(['counter: Test alert'])
  })

  it('can only be removed by its owner, which the audit log shows with its name', async () => {
    await addDevice(owner, 'phone')
    const [row] = await db.select().from(alertDevices)
    await packer.post('/alerts/devices/remove', { id: row?.id ?? '' })
    expect(await db.select().from(alertDevices)).toHaveLength(1)
    expect((await owner.get('/alerts')).text).toContain('Chrome on phone')
    await owner.post('/alerts/devices/remove', { id: row?.id ?? '' })
    expect(await db.select().from(alertDevices)).toEqual([])
    const removals = await db.select().from(auditLog).where(eq(auditLog.action, 'alerts.device.remove'))
    expect(removals.map(({ subject }) => subject)).toEqual(['Chrome on phone'])
  })

  it.each([
    ['http://fcm.googleapis.com/x', pushKeys],
    ['https://evil.example/push', pushKeys],
    ['https://fcm.googleapis.com.evil.example/push', pushKeys],
    ['https://127.0.0.1/push', pushKeys],
    ['https://fcm.googleapis.com:8443/x', pushKeys],
    ['javascript:alert(1)', pushKeys],
    ['', pushKeys],
    [createEndpoint('x'), { ...pushKeys, auth: 'short' }],
    [createEndpoint('x'), { ...pushKeys, p256dh: '<script>' }],
  ])(
    'is refused if its endpoint isn’t a push service’s or its keys are invalid: %s',
    async (endpoint, given) => {
      const refused = await owner.post('/alerts/devices', { endpoint, ...given, label: 'x' })
      expect([refused.status, refused.text.includes('can’t receive alerts')]).toEqual([409, true])
    },
  )

  it('keeps only a packer’s alerts once its owner becomes a packer, and is removed once the owner leaves the team', async () => {
    const email = 'nekesa@pamba.test'
    const helper = await createOfficeClient(office, email)
    await addDevice(helper, 'tablet')
    await saveAlerts(helper, ['push-newMessage', 'email-system'])
    await owner.post('/team', { email, role: 'packer' })
    const keptSettings = await db.select().from(alertSettings).where(eq(alertSettings.email, email))
    expect(keptSettings.map(({ kind }) => kind).toSorted()).toEqual(['lowStock', 'newOrder'])
    await owner.post('/team/remove', { email })
    expect(await db.select().from(alertDevices).where(eq(alertDevices.email, email))).toEqual([])
    await db.delete(teamMembers).where(eq(teamMembers.email, email))
  })
})

describe('an alert', () => {
  const cases: [AlertKind, prepare: () => Promise<unknown>, title: RegExp][] = [
    [
      'paymentProblem',
      async () => {
        const { number } = await placeOrder()
        const id = db.select({ id: orders.id }).from(orders).where(eq(orders.number, number))
        await db.update(payments).set({ state: 'unknown' }).where(inArray(payments.orderId, id))
      },
      /^Payment problem with order P-\w+: KSH [\d,]+$/,
    ],
    [
      'lowStock',
      () => db.insert(stock).values({ itemId: 1, onHand: 2, reserved: 0 }),
      /^Low stock: .+, 2 left$/,
    ],
    [
      'newMessage',
      async () =>
        db.insert(outbox).values({
          id: 'contact-1',
          kind: 'contact-notice',
          subjectId: '1',
          recipient: 'a@b.ke',
          status: 'sent',
          subject: 'Message from Wanjiru',
          text: '',
          html: '',
          createdAtMs: NOW_MS,
          nextAttemptAtMs: 1,
        }),
      /^New message$/,
    ],
    [
      'failedRefund',
      async () =>
        db.insert(outbox).values({
          id: 'refund-1',
          kind: 'refund-notice',
          subjectId: '1',
          recipient: 'a@b.ke',
          status: 'sent',
          subject: 'Refund KSH 1,200 manually for order P-7K3M9Q',
          text: '',
          html: '',
          createdAtMs: NOW_MS,
          nextAttemptAtMs: 1,
        }),
      /^Refund KSH 1,200 manually for order P-7K3M9Q$/,
    ],
    ['stuckEmail', async () => insertEmails(1, { status: 'failed' }), /^An email couldn’t be sent$/],
  ]
  const insertEmails = (count: number, overrides: Partial<typeof outbox.$inferInsert>) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        db.insert(outbox).values({
          id: `email-${index}`,
          kind: 'welcome',
          subjectId: '1',
          recipient: 'a@b.ke',
          subject: 'Karibu',
          text: '',
          html: '',
          createdAtMs: NOW_MS - HOUR_MS,
          nextAttemptAtMs: NOW_MS + HOUR_MS,
          ...overrides,
        }),
      ),
    )

  it.each(cases)(
    'of the kind %s reaches the owner once, and packers only if stock is low',
    async (kind, prepare, title) => {
      await addDevice(owner, 'phone')
      await addDevice(packer, 'counter')
      await prepare()
      await runHousekeeping(shopCtx)
      const own = pushedMessages.filter((message) => title.test(message.title))
      expect(own.map(({ to }) => to).toSorted(), listTitles().join()).toEqual(
        kind === 'lowStock' ? ['counter', 'phone'] : ['phone'],
      )
      pushedMessages = []
      await runHousekeeping(shopCtx)
      expect(pushedMessages.filter((message) => title.test(message.title))).toEqual([])
    },
  )

  it('about low stock is sent again only after the item was restocked', async () => {
    await addDevice(owner, 'phone')
    const setUnits = async (onHand: number) => {
      await db.delete(stock)
      await db.insert(stock).values({ itemId: 1, onHand, reserved: 0 })
      await runHousekeeping(shopCtx)
    }
    for (const units of [1, 0, 20, 3]) await setUnits(units)
    expect(pushedMessages.map(({ title }) => title.replace(/: .*/, ''))).toEqual(['Low stock', 'Low stock'])
  })

  it('about low stock of several items is sent once', async () => {
    await addDevice(owner, 'phone')
    await db.insert(stock).values([1, 2, 3, 4].map((itemId) => ({ itemId, onHand: 1, reserved: 0 })))
    await runHousekeeping(shopCtx)
    await runHousekeeping(shopCtx)
    expect(listTitles()).toEqual(['phone: 4 items are running low or sold out'])
  })

  it('about low stock of several items is sent by a later run if its push service fails at first', async () => {
    await addDevice(owner, 'phone')
    await db.insert(stock).values([1, 2, 3, 4].map((itemId) => ({ itemId, onHand: 1, reserved: 0 })))
    outcome = 'failed'
    await runHousekeeping(shopCtx)
    outcome = 'sent'
    pushedMessages = []
    await runHousekeeping(shopCtx)
    expect(listTitles()).toEqual(['phone: 4 items are running low or sold out'])
  })

  const technical: [what: string, prepare: () => Promise<unknown>, subject: RegExp][] = [
    ['a stuck outbox', () => insertEmails(3, { attempts: 2 }), /^3 emails are stuck$/],
    [
      'repeated server errors',
      async () => {
        for (let error = 0; error < 5; error += 1) await recordServerError(shopCtx)
      },
      /^The shop had 5 errors in the last 20 minutes$/,
    ],
    [
      'repeated errors of the office',
      async () => {
        const pushKey = () => Promise.reject(new Error('a defect'))
        const client = await createOfficeClient(officeContext({ readPushKey: pushKey }))
        for (let error = 0; error < 5; error += 1) expect((await client.get('/alerts')).status).toBe(500)
      },
      /^The shop had 5 errors in the last 20 minutes$/,
    ],
    [
      'a provider that doesn’t respond',
      async () => {
        for (let order = 0; order < 3; order += 1) await placeOrder()
        await db.update(payments).set({ state: 'unknown', createdAtMs: NOW_MS })
      },
      /^Card isn’t confirming payments$/,
    ],
  ]
  it.each(technical)(
    'about a technical problem (%s) is sent once, and also to the shop’s mailbox',
    async (_what, prepare, subject) => {
      await addDevice(owner, 'phone')
      await prepare()
      await runHousekeeping(shopCtx)
      await runHousekeeping(shopCtx)
      const alertSubjects = (await selectEmails(shopCtx.config.OPERATOR_EMAIL)).filter((text) =>
        subject.test(text),
      )
      expect(alertSubjects).toHaveLength(1)
      expect(pushedMessages.filter(({ title }) => subject.test(title))).toHaveLength(1)
      await runHousekeeping(createContextAt(NOW_MS + 7 * HOUR_MS))
    },
  )

  it('about a failing scheduled run is emailed even though the run fails', async () => {
    const failing = createContextAt(NOW_MS, {
      catalogue: {
        ...shopCtx.catalogue,
        load: async () => Promise.reject(new Error('The catalogue is away.')),
      },
      payments: {
        get methods(): never {
          throw new Error('broken')
        },
        get providers(): never {
          throw new Error('broken')
        },
      },
    })
    await placeOrder()
    await db.update(payments).set({ state: 'pending', nextCheckAtMs: 1 })
    await expect(runSchedule(failing)).rejects.toThrow()
    expect(await selectEmails(shopCtx.config.OPERATOR_EMAIL)).toEqual([
      'The shop’s scheduled tasks are failing',
    ])
    expect(failing.emails.map(({ subject }) => subject)).toContain('The shop’s scheduled tasks are failing')
  })

  it('is emailed at once even if it is an alert that fails', async () => {
    await saveAlerts(owner, ['email-newOrder'])
    await placeOrder()
    await db.run(
      sql`CREATE TRIGGER fail_alert BEFORE INSERT ON outbox WHEN new.subject LIKE 'New order %' BEGIN SELECT raise(abort, 'not queued'); END`,
    )
    const failing = createContextAt()
    await expect(runSchedule(failing)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('not queued') },
    })
    await db.run(sql`DROP TRIGGER fail_alert`)
    expect(failing.emails.map(({ subject }) => subject)).toContain('The shop’s scheduled tasks are failing')
  })
})

describe('the daily summary', () => {
  it('is off until an owner turns it on, and is then emailed once a day, after seven in the morning', async () => {
    const day = NOW_MS - 5 * HOUR_MS
    await runHousekeeping(createContextAt(NOW_MS))
    expect(await selectEmails(OWNER)).toEqual([])
    await db.delete(alerts)
    await saveAlerts(owner, ['email-summary'])
    await saveAlerts(packer, ['email-summary'])
    await placeOrder()
    await db.insert(contactMessages).values({
      id: crypto.randomUUID(),
      name: 'W',
      email: 'w@x.ke',
      message: 'Hi',
      createdAtMs: NOW_MS,
    })
    await runHousekeeping(createContextAt(day))
    expect(await selectEmails(OWNER)).toEqual([])
    await runHousekeeping(createContextAt(NOW_MS))
    await runHousekeeping(createContextAt(NOW_MS + HOUR_MS))
    expect(await selectEmails(OWNER)).toEqual(['Your shop today'])
    expect(await selectEmails(PACKER)).toEqual([])
    const [row] = (await db.select().from(outbox)).filter(({ subject }) => subject === 'Your shop today')
    for (const line of [/Orders to pack: [1-9]/, /Sales: KSH /, /Unread messages: [1-9]/])
      expect(row?.text).toMatch(line)
    expect(row?.text).not.toContain('Wanjiru')
  })
})
