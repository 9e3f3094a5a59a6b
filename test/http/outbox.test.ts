import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { outbox } from '#server/platform/db/schema.ts'
import { type Email, type Mailer, UndeliverableError } from '#server/platform/email/mailer.ts'
import {
  deliverAllDueEmails,
  deliverDueEmails,
  deliverEmailsInBackground,
  RETRY_DELAYS_MS,
  toOutboxRow,
} from '#server/platform/email/outbox.ts'
import { DAY_MS, MINUTE_MS } from '#shared/time.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { operatorEmail } from '#test/support/operator-email.ts'

let nowMs = NOW_MS
const clock = () => nowMs
const createContext = (mailer?: Mailer) => testContext({ clock, ...(mailer ? { mailer } : {}) })
const createFailingMailer = (reason: string): Mailer => ({ send: () => Promise.reject(new Error(reason)) })

const createEmail = (overrides: Partial<Email> = {}): Email => ({ ...operatorEmail, ...overrides })

async function insertDueEmail(overrides: Partial<Email> = {}): Promise<string> {
  const context = createContext()
  const row = toOutboxRow(createEmail(overrides), context)
  await context.db.insert(outbox).values(row)
  return row.id
}

async function selectEmail(id: string) {
  const [row] = await createContext().db.select().from(outbox).where(eq(outbox.id, id))
  if (!row) throw new Error('The outbox row does not exist.')
  return row
}

beforeEach(async () => {
  nowMs = NOW_MS
  await createContext().db.delete(outbox)
})

describe('delivery', () => {
  it('sends a queued email in the background and marks it as sent', async () => {
    const id = await insertDueEmail({ replyTo: 'wanjiru@example.com' })
    const context = createContext()
    deliverEmailsInBackground(context)
    await context.backgroundDone()
    expect(context.emails).toEqual([{ ...createEmail({ replyTo: 'wanjiru@example.com' }), messageId: id }])
    expect(await selectEmail(id)).toMatchObject({
      status: 'sent',
      attempts: 1,
      sentAtMs: NOW_MS,
      lastError: null,
    })
    expect(context.deliveries).toMatchObject([{ emailId: id, outcome: 'sent', attempt: 1 }])
  })

  it('never sends an email twice', async () => {
    await insertDueEmail()
    await deliverDueEmails(createContext())
    nowMs += DAY_MS
    const later = createContext()
    expect(await deliverDueEmails(later)).toBe(0)
    expect(later.emails).toEqual([])
  })

  it('limits a recipient to ten emails of a kind per hour and sends the rest later', async () => {
    const welcome = { kind: 'welcome', recipient: 'flooded@example.com' } as const
    const ids: string[] = []
    for (let count = 0; count < 13; count++) ids.push(await insertDueEmail(welcome))
    const reset = await insertDueEmail({ ...welcome, kind: 'password-reset' })
    const other = await insertDueEmail({ ...welcome, recipient: 'other@example.com' })
    await deliverAllDueEmails(createContext())
    const readStatuses = async () => Promise.all(ids.map(async (id) => (await selectEmail(id)).status))
    expect((await readStatuses()).filter((status) => status === 'sent')).toHaveLength(10)
    expect(await selectEmail(reset)).toMatchObject({ status: 'sent' })
    expect(await selectEmail(other)).toMatchObject({ status: 'sent' })
    nowMs += 2 * 60 * MINUTE_MS
    await deliverAllDueEmails(createContext())
    expect(new Set(await readStatuses())).toEqual(new Set(['sent']))
  })

  it('removes addresses from the reason for a failure', async () => {
    const id = await insertDueEmail()
    const context = createContext(
      createFailingMailer('550 <wanjiru@example.com>: mailbox unavailable (to wanjiru@example.com)'),
    )
    await deliverDueEmails(context)
    expect(await selectEmail(id)).toMatchObject({
      lastError: '550 <[address]>: mailbox unavailable (to [address])',
    })
    expect(JSON.stringify(context.deliveries)).not.toContain('@')
  })

  it('abandons an undeliverable email immediately', async () => {
    const id = await insertDueEmail()
    const mailer = { send: () => Promise.reject(new UndeliverableError('The address can’t receive email.')) }
    await deliverDueEmails(createContext(mailer))
    expect(await selectEmail(id)).toMatchObject({ status: 'failed', attempts: 1 })
  })

  it('skips emails that are not due yet', async () => {
    await insertDueEmail()
    nowMs -= 1
    expect(await deliverDueEmails(createContext())).toBe(0)
  })

  it('completes a backlog larger than one claim in one scheduled run', async () => {
    for (let count = 0; count < 23; count++) await insertDueEmail()
    const context = createContext()
    await deliverAllDueEmails(context)
    expect(context.emails).toHaveLength(23)
  })

  it('sends the newest email first, even if many others are due', async () => {
    for (let count = 0; count < 11; count++) await insertDueEmail()
    nowMs += MINUTE_MS
    const reset = await insertDueEmail({ kind: 'password-reset' })
    const context = createContext()
    deliverEmailsInBackground(context)
    await context.backgroundDone()
    expect(await selectEmail(reset)).toMatchObject({ status: 'sent' })
  })

  it('sends new emails before those that have failed', async () => {
    for (let count = 0; count < 12; count++) await insertDueEmail()
    await deliverAllDueEmails(createContext(createFailingMailer('down')))
    nowMs += 10 * MINUTE_MS
    const fresh = await insertDueEmail()
    const context = createContext()
    await deliverDueEmails(context)
    expect(context.emails.map(({ messageId }) => messageId)).toContain(fresh)
  })
})

describe('failed delivery', () => {
  it('stores the reason and retries with growing pauses and the same message id', async () => {
    const id = await insertDueEmail()
    const attemptsAtMs: number[] = []
    const messageIds = new Set<string>()
    const context = createContext({
      send: ({ messageId }) => {
        attemptsAtMs.push(nowMs)
        messageIds.add(messageId)
        return Promise.reject(new Error('The email server is closed.'))
      },
    })
    for (; nowMs < NOW_MS + DAY_MS + 60 * MINUTE_MS; nowMs += 5 * MINUTE_MS)
      await deliverAllDueEmails(context)

    const pausesMs = attemptsAtMs.slice(1).map((atMs, index) => atMs - (attemptsAtMs[index] ?? 0))
    expect(pausesMs).toHaveLength(RETRY_DELAYS_MS.length)
    expect(pausesMs).toEqual(pausesMs.toSorted((a, b) => a - b))
    expect(messageIds).toEqual(new Set([id]))
    expect(await selectEmail(id)).toMatchObject({
      status: 'failed',
      lastError: 'The email server is closed.',
    })
    const lastAttemptAfterMs = (attemptsAtMs.at(-1) ?? 0) - NOW_MS
    expect(lastAttemptAfterMs).toBeGreaterThanOrEqual(DAY_MS)
    expect(context.deliveries.map(({ outcome }) => outcome)).toEqual([
      ...RETRY_DELAYS_MS.map(() => 'retry'),
      'failed',
    ])
  })

  it('succeeds on a retry once the email service has recovered', async () => {
    const id = await insertDueEmail()
    await deliverDueEmails(createContext(createFailingMailer('down')))
    expect(await selectEmail(id)).toMatchObject({ status: 'pending', attempts: 1, lastError: 'down' })
    nowMs += RETRY_DELAYS_MS[0] ?? 0
    const context = createContext()
    await deliverDueEmails(context)
    expect(context.emails).toHaveLength(1)
    expect(await selectEmail(id)).toMatchObject({ status: 'sent', attempts: 2, lastError: null })
  })

  it('stores the email service’s error code with the reason', async () => {
    const id = await insertDueEmail()
    const error = Object.assign(new Error('domain not verified'), { code: 'E_SENDER_NOT_VERIFIED' })
    await deliverDueEmails(createContext({ send: () => Promise.reject(error) }))
    expect((await selectEmail(id)).lastError).toBe('E_SENDER_NOT_VERIFIED: domain not verified')
  })

  it('does not delay other emails', async () => {
    await insertDueEmail({ subject: 'broken' })
    const context = testContext({ clock })
    await insertDueEmail()
    context.mailer = {
      send: async (sent) => {
        if (sent.subject === 'broken') throw new Error('no')
        context.emails.push(sent)
      },
    }
    await deliverDueEmails(context)
    expect(context.emails).toHaveLength(1)
  })
})

describe('a password reset email', () => {
  it('is abandoned when its link expires', async () => {
    const id = await insertDueEmail({ kind: 'password-reset' })
    await deliverDueEmails(createContext(createFailingMailer('down')))
    nowMs += 59 * MINUTE_MS
    await deliverDueEmails(createContext(createFailingMailer('still down')))
    expect(await selectEmail(id)).toMatchObject({ status: 'pending', attempts: 2 })
    nowMs += DAY_MS
    const context = createContext()
    await deliverDueEmails(context)
    expect(context.emails).toEqual([])
    expect(await selectEmail(id)).toMatchObject({
      status: 'failed',
      lastError: 'Its link has expired. still down',
    })
  })
})

describe('concurrent runs', () => {
  it('send each email once', async () => {
    for (let count = 0; count < 15; count++) await insertDueEmail()
    const contexts = Array.from({ length: 8 }, () => createContext())
    await Promise.all(contexts.map(deliverAllDueEmails))
    const sentIds = contexts.flatMap(({ emails }) => emails.map(({ messageId }) => messageId))
    expect(sentIds).toHaveLength(15)
    expect(new Set(sentIds).size).toBe(15)
  })

  it('skip an email whose delivery is still in progress', async () => {
    const id = await insertDueEmail()
    const slow = Promise.withResolvers<void>()
    const first = deliverDueEmails(createContext({ send: () => slow.promise }))
    const second = createContext()
    await expect.poll(async () => (await selectEmail(id)).attempts).toBe(1)
    expect(await deliverDueEmails(second)).toBe(0)
    slow.resolve()
    await first
    expect(second.emails).toEqual([])
    expect((await selectEmail(id)).status).toBe('sent')
  })
})

describe('an email', () => {
  /** Claims the email but never completes its delivery. */
  async function runAndKill(id: string) {
    const { attempts } = await selectEmail(id)
    void deliverDueEmails(createContext({ send: () => new Promise(() => {}) }))
    await expect.poll(async () => (await selectEmail(id)).attempts).toBe(attempts + 1)
  }

  it('is sent by a scheduled run if the Worker was killed before delivery', async () => {
    await insertDueEmail()
    nowMs += 5 * MINUTE_MS
    const context = createContext()
    await deliverAllDueEmails(context)
    expect(context.emails).toHaveLength(1)
  })

  it('is sent by a later run if the Worker was killed during delivery', async () => {
    const id = await insertDueEmail()
    await runAndKill(id)
    nowMs += RETRY_DELAYS_MS[0] ?? 0
    const context = createContext()
    await deliverDueEmails(context)
    expect(context.emails.map(({ messageId }) => messageId)).toEqual([id])
  })

  it('that keeps killing the Worker fails after its last attempt', async () => {
    const id = await insertDueEmail()
    for (const pauseMs of [...RETRY_DELAYS_MS, MINUTE_MS * 2]) {
      await runAndKill(id)
      nowMs += pauseMs
    }
    const context = createContext()
    await deliverDueEmails(context)
    expect(context.emails).toEqual([])
    expect(await selectEmail(id)).toMatchObject({
      status: 'failed',
      lastError: 'Every attempt to send it was interrupted.',
    })
  })

  it('isn’t marked as failed by an attempt that ends after a later run has sent it', async () => {
    const id = await insertDueEmail()
    const late = Promise.withResolvers<void>()
    const first = deliverDueEmails(createContext({ send: () => late.promise }))
    await expect.poll(async () => (await selectEmail(id)).attempts).toBe(1)
    nowMs += RETRY_DELAYS_MS[0] ?? 0
    await deliverDueEmails(createContext())
    late.reject(new Error('too late'))
    await first
    expect(await selectEmail(id)).toMatchObject({ status: 'sent', lastError: null })
  })
})

describe('the outbox', () => {
  it.each(['sent', 'failed'])(
    'deletes the reset link of an email once its status is “%s”',
    async (outcome) => {
      const id = await insertDueEmail({
        kind: 'password-reset',
        text: 'https://shop/?oobCode=secret',
        html: 'secret',
      })
      const context = createContext(outcome === 'sent' ? undefined : createFailingMailer('down'))
      for (let run = 0; run <= RETRY_DELAYS_MS.length; run++) {
        await deliverDueEmails(context)
        nowMs += DAY_MS
      }
      expect(await selectEmail(id)).toMatchObject({ status: outcome, text: '', html: '' })
    },
  )
})
