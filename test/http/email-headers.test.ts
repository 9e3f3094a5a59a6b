import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createMailer, toHeaderText } from '#server/platform/email/mailer.ts'
import { shop } from '#shared/shop.ts'
import { operatorEmail } from '#test/support/operator-email.ts'

type SentMessage = Exclude<Parameters<SendEmail['send']>[0], EmailMessage>

const attacks = [
  'Asha\r\nBcc: victim@example.com',
  'Asha\nBcc: victim@example.com',
  'Asha\rBcc: victim@example.com',
  'Asha\u2028Bcc: victim@example.com',
  'Asha\u0085Bcc: victim@example.com',
  'Asha\0\r\n\r\n<script>alert(1)</script>',
]

async function send(
  email: Partial<Parameters<ReturnType<typeof createMailer>['send']>[0]>,
): Promise<SentMessage> {
  const messages: SentMessage[] = []
  const binding = {
    send: async (message: SentMessage) => ({ messageId: String(messages.push(message)) }),
  } as SendEmail
  await createMailer({ binding, from: 'shop@pamba.example' }).send({
    ...operatorEmail,
    messageId: 'abc-123',
    ...email,
  })
  const [message] = messages
  if (!message) throw new Error('Nothing was sent.')
  return message
}

describe('email headers', () => {
  it.each(attacks)('are one line each, even with the subject %j', async (attack) => {
    const message = await send({ subject: attack })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test asserts their absence
    const lineBreaks = /[\x00-\x1f\x7f\x85\u2028\u2029]/
    expect(message.subject).not.toMatch(lineBreaks)
    expect(message.to).not.toMatch(lineBreaks)
  })

  it.each([
    ...attacks,
    'a,b@example.com',
    'wanjiru@example.com,victim@example.com',
    'wanjiru@example.com;victim',
    'Wanjiru <wanjiru@example.com>',
    '"a b"@example.com',
    'wanjiru@example.com.',
  ])('have exactly one recipient, or the email isn’t sent: %j', async (recipient) => {
    await expect(send({ recipient })).rejects.toThrow('The address can’t receive email.')
  })

  it.each(['wanjiru+shop@mail.example.com', "o'hara@example.co.ke", 'müller@bücher.example'])(
    'keep the recipient %s unchanged',
    async (recipient) => {
      expect((await send({ recipient })).to).toBe(recipient)
    },
  )

  it.each([
    ...attacks,
    'wanjiru@example.com, victim@example.com',
    'Wanjiru <wanjiru@example.com>',
    'a,b@example.com',
  ])('omit an unsafe reply-to address: %j', async (replyTo) => {
    expect(await send({ replyTo })).not.toHaveProperty('replyTo')
  })

  it('contain the sender, the reply-to address and a stable message id', async () => {
    expect(await send({ replyTo: 'wanjiru+shop@mail.example.com' })).toMatchObject({
      from: { name: shop.name, email: 'shop@pamba.example' },
      to: shop.email,
      replyTo: 'wanjiru+shop@mail.example.com',
      headers: { 'X-Message-ID': '<abc-123@pamba.example>', References: '<abc-123@pamba.example>' },
    })
  })

  it('keep text in any script and truncate long text', () => {
    expect(toHeaderText('Ñandú 👩‍👧 אסתר')).toBe('Ñandú 👩‍👧 אסתר')
    expect(toHeaderText('evil \u202etxt.exe\u202c')).toBe('evil txt.exe')
    expect(Array.from(toHeaderText('👗'.repeat(500)))).toHaveLength(200)
    expect(toHeaderText('half \ud83d')).toBe('half \ufffd')
  })

  it('are accepted by the runtime’s send_email binding', async () => {
    const binding = (env as unknown as { MAIL: SendEmail }).MAIL
    const mailer = createMailer({ binding, from: 'shop@pamba.example' })
    await expect(
      mailer.send({
        kind: 'contact-notice',
        subjectId: 'message',
        recipient: 'hello@pamba.example',
        replyTo: 'wanjiru@example.com',
        subject: 'A message',
        text: 'Habari',
        html: '<p>Habari</p>',
        messageId: 'abc-123',
      }),
    ).resolves.toBeUndefined()
  })
})
