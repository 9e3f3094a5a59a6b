import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '#shared/time.ts'
import {
  newMessage,
  postMessage,
  selectMessages,
  selectOperatorEmails,
  withFailingOutbox,
} from '#test/support/contact.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { anyCharacters } from '#test/support/hostile.ts'

describe('POST /api/contact', () => {
  it('stores the message and notifies the shop, with replies going to the shopper', async () => {
    const ctx = testContext()
    ctx.config = { ...ctx.config, OPERATOR_EMAIL: 'notices@pamba.example' }
    const message = newMessage()
    const response = await postMessage(message, ctx)
    await expectStatus(response, 201)
    const { id } = (await response.json()) as { id: string }
    await ctx.backgroundDone()
    const unread = { readAtMs: null, answeredAtMs: null }
    expect(await selectMessages(message.email)).toEqual([
      { id, ...message, createdAtMs: NOW_MS, isSuspicious: false, ...unread },
    ])
    expect(ctx.emails).toMatchObject([
      {
        kind: 'contact-notice',
        subjectId: id,
        recipient: 'notices@pamba.example',
        replyTo: message.email,
        subject: 'Message from Wanjiru',
        text: expect.stringContaining('> Do you sew kanga dresses for twins?'),
      },
    ])
  })

  it('responds before the email is delivered, even if delivery fails', async () => {
    const ctx = testContext({ mailer: { send: () => Promise.reject(new Error('down')) } })
    const message = newMessage()
    await expectStatus(await postMessage(message, ctx), 201)
    await ctx.backgroundDone()
    expect(await selectOperatorEmails(message.email)).toMatchObject([
      { status: 'pending', lastError: 'down' },
    ])
  })

  it('trims texts, keeps names on one line and removes terminal codes from messages', async () => {
    const message = newMessage()
    const response = await postMessage({
      name: '  Wanjiru\r\nBcc: victim@example.com ',
      email: ` ${message.email} `,
      message: ' Habari\r\nyako,\u001b[31m shop?\0 ',
    })
    await expectStatus(response, 201)
    expect(await selectMessages(message.email)).toMatchObject([
      { name: 'Wanjiru Bcc: victim@example.com', message: 'Habari\nyako,[31m shop?' },
    ])
    const [operatorEmail] = await selectOperatorEmails(message.email)
    expect(operatorEmail?.subject).toBe('Message from Wanjiru Bcc: victim@example.com')
  })

  it.each([
    [{ name: ' ' }, { name: 'Name is required' }],
    [{ name: undefined }, { name: 'Name is required' }],
    [{ name: 'W' }, { name: 'Name must be at least 2 characters' }],
    [{ email: '' }, { email: 'Email is required' }],
    [{ email: 'wanjiru@' }, { email: 'Please enter a valid email address' }],
    [{ message: 'Habari' }, { message: 'Message must be at least 10 characters' }],
    [{ message: 'a'.repeat(5001) }, { message: 'Message must be at most 5,000 characters' }],
    [{ name: 7 }, { name: 'Please enter some text.' }],
    [{ email: ['a@b.co'] }, { email: 'Please enter some text.' }],
    [{ message: null }, { message: 'Please enter some text.' }],
  ])('rejects $0 with 400 and the form’s messages', async (wrong, errors) => {
    const message = { ...newMessage(), ...wrong }
    const response = await postMessage(message)
    await expectStatus(response, 400)
    expect(await response.json()).toEqual({
      message: Object.values(errors)[0],
      code: 'invalid_fields',
      errors,
    })
  })

  it.each([
    ['malformed JSON', '{"name":', {}, 400],
    ['a JSON text', '"hello"', {}, 400],
    ['a list', '[]', {}, 400],
    ['null', 'null', {}, 400],
    ['a form', 'name=Wanjiru', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
    ['a body without a type', '{}', { 'Content-Type': '' }, 415],
    ['a body over 64 KiB', JSON.stringify({ name: 'a'.repeat(70_000) }), {}, 413],
  ])('responds to %s with an error message and a code', async (_what, body, headers, status) => {
    const response = await postMessage(body, testContext(), headers as Record<string, string>)
    await expectStatus(response, status)
    expect(await response.json()).toMatchObject({ message: expect.any(String), code: expect.any(String) })
  })

  it('never fails on hostile texts', async () => {
    const text = fc.oneof(
      anyCharacters,
      fc.constantFrom(
        "'; DROP TABLE contact_messages; --",
        '\ud800',
        '\0',
        '{{7*7}}',
        '__proto__',
        '%00',
        '\u202e',
      ),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.record({ name: text, email: text, message: text, leave_empty: text }),
        async (form) => {
          expect([201, 400]).toContain((await postMessage(form)).status)
          expect([201, 400]).toContain(
            (await postMessage({ ...newMessage(), name: `Li${form.name}`, message: form.message.repeat(9) }))
              .status,
          )
        },
      ),
      { numRuns: 100 },
    )
  })

  it('accepts 5,000 characters in any script', async () => {
    const message = {
      ...newMessage(),
      name: "O'Brien <b>ñ</b> 👩🏾‍🌾",
      message: `<script>alert(1)</script>${'ش'.repeat(4975)}`,
    }
    const response = await postMessage(message)
    await expectStatus(response, 201)
    expect(await selectMessages(message.email)).toMatchObject([
      { name: message.name, message: message.message },
    ])
    const [operatorEmail] = await selectOperatorEmails(message.email)
    expect(operatorEmail?.html).not.toContain('<script>')
  })
})

describe('spam', () => {
  it('with the honeypot filled in gets the usual response, but the shop gets no email', async () => {
    const ctx = testContext()
    const message = newMessage()
    const response = await postMessage({ ...message, leave_empty: 'https://spam.example' }, ctx)
    await expectStatus(response, 201)
    expect(await response.json()).toEqual({ id: expect.any(String) })
    await ctx.backgroundDone()
    expect(await selectMessages(message.email)).toMatchObject([
      { message: message.message, isSuspicious: true },
    ])
    expect(ctx.emails).toEqual([])
  })

  it('from one IP address is rate limited, with 429 and Retry-After', async () => {
    const keys: string[] = []
    const limits = { ...testContext().limits, writes: async (key: string) => keys.push(key) < 2 }
    const ctx = testContext({ limits })
    const from = { 'CF-Connecting-IP': '203.0.113.7' }
    await expectStatus(await postMessage(newMessage(), ctx, from), 201)
    const message = newMessage()
    const refused = await postMessage(message, ctx, from)
    await expectStatus(refused, 429)
    expect(refused.headers.get('Retry-After')).toBe('60')
    expect(await refused.json()).toMatchObject({ code: 'too_many_requests' })
    expect(keys).toEqual(['contact from 203.0.113.7', 'contact from 203.0.113.7'])
    expect(await selectMessages(message.email)).toEqual([])
  })
})

describe('a message sent twice', () => {
  it('is stored once, with one email to the shop, even when sent concurrently', async () => {
    const ctx = testContext()
    const message = newMessage()
    const responses = await Promise.all(Array.from({ length: 10 }, () => postMessage(message, ctx)))
    const ids = await Promise.all(
      responses.map(async (response) => (await response.json()) as { id: string }),
    )
    expect(new Set(ids.map(({ id }) => id)).size).toBe(1)
    await ctx.backgroundDone()
    expect(await selectMessages(message.email)).toHaveLength(1)
    expect(ctx.emails).toHaveLength(1)
  })

  it('is stored twice, with two emails to the shop, if it is sent on two days', async () => {
    const message = newMessage()
    await postMessage(message)
    await postMessage(message, testContext({ clock: () => NOW_MS + DAY_MS }))
    expect(await selectMessages(message.email)).toHaveLength(2)
    expect(await selectOperatorEmails(message.email)).toHaveLength(2)
  })
})

describe('a message whose email to the shop can’t be stored', () => {
  it('isn’t stored either, and a retry stores both', async () => {
    const message = newMessage()
    const response = await withFailingOutbox(message.email, () => postMessage(message))
    await expectStatus(response, 503)
    expect(await selectMessages(message.email)).toEqual([])
    await expectStatus(await postMessage(message), 201)
    expect(await selectMessages(message.email)).toHaveLength(1)
    expect(await selectOperatorEmails(message.email)).toHaveLength(1)
  })
})
