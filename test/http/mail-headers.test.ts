import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { headerText, sendEmailMailer } from '#server/platform/email/mailer.ts'
import { shop } from '#shared/shop.ts'
import { contactNotice } from '#test/support/contact-notice.ts'

type Sent = Exclude<Parameters<SendEmail['send']>[0], EmailMessage>

const attacks = [
  'Asha\r\nBcc: victim@example.com',
  'Asha\nBcc: victim@example.com',
  'Asha\rBcc: victim@example.com',
  'Asha\u2028Bcc: victim@example.com',
  'Asha\u0085Bcc: victim@example.com',
  'Asha\0\r\n\r\n<script>alert(1)</script>',
]

/** Sends through a binding that keeps what it was given. */
async function sent(mail: Partial<Parameters<ReturnType<typeof sendEmailMailer>['send']>[0]>): Promise<Sent> {
  const given: Sent[] = []
  const binding = { send: async (message: Sent) => ({ messageId: String(given.push(message)) }) } as SendEmail
  await sendEmailMailer({ binding, from: 'shop@pamba.example' }).send({
    ...contactNotice,
    messageId: 'abc-123',
    ...mail,
  })
  const [message] = given
  if (!message) throw new Error('Nothing was sent.')
  return message
}

describe('mail headers', () => {
  it.each(attacks)('stay one line each, whatever a subject contains: %j', async (attack) => {
    const message = await sent({ subject: attack })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    const breaking = /[\x00-\x1f\x7f\x85\u2028\u2029]/
    expect(message.subject).not.toMatch(breaking)
    expect(message.to).not.toMatch(breaking)
  })

  it.each([
    ...attacks,
    'a,b@example.com',
    'wanjiru@example.com,victim@example.com',
    'wanjiru@example.com;victim',
    'Wanjiru <wanjiru@example.com>',
    '"a b"@example.com',
    'wanjiru@example.com.',
  ])('name one recipient, or the mail is not sent: %j', async (recipient) => {
    await expect(sent({ recipient })).rejects.toThrow('The address can’t receive email.')
  })

  it.each(['wanjiru+shop@mail.example.com', "o'hara@example.co.ke", 'müller@bücher.example'])(
    'take the recipient %s as it is',
    async (recipient) => {
      expect((await sent({ recipient })).to).toBe(recipient)
    },
  )

  it.each([
    ...attacks,
    'wanjiru@example.com, victim@example.com',
    'Wanjiru <wanjiru@example.com>',
    'a,b@example.com',
  ])('do without an address to reply to that is not plain: %j', async (replyTo) => {
    expect(await sent({ replyTo })).not.toHaveProperty('replyTo')
  })

  it('carry the sender, the address to reply to and the stable message id', async () => {
    expect(await sent({ replyTo: 'wanjiru+shop@mail.example.com' })).toMatchObject({
      from: { name: shop.name, email: 'shop@pamba.example' },
      to: shop.email,
      replyTo: 'wanjiru+shop@mail.example.com',
      headers: { 'X-Message-ID': '<abc-123@pamba.example>', References: '<abc-123@pamba.example>' },
    })
  })

  it('keep names in any script, and cut what is too long', () => {
    expect(headerText('Ñandú 👩‍👧 אסתר')).toBe('Ñandú 👩‍👧 אסתר')
    expect(headerText('evil \u202etxt.exe\u202c')).toBe('evil txt.exe')
    expect(Array.from(headerText('👗'.repeat(500)))).toHaveLength(200)
    expect(headerText('half \ud83d')).toBe('half \ufffd')
  })

  it('are what the send_email binding of the runtime accepts', async () => {
    const binding = (env as unknown as { MAIL: SendEmail }).MAIL
    const mailer = sendEmailMailer({ binding, from: 'shop@pamba.example' })
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
