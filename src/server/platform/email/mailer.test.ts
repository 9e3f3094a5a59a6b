import { expect, it } from 'vitest'
import { printingMailer } from './mailer.ts'

it('prints the whole email without terminal control characters and passes it on', async () => {
  const printed: string[] = []
  const handedOn: string[] = []
  const next = { send: async ({ subject }: { subject: string }) => void handedOn.push(subject) }
  await printingMailer(next, (text) => printed.push(text)).send({
    kind: 'password-reset',
    subjectId: 'user',
    recipient: 'wanjiru@example.com',
    subject: 'Choose a new password',
    text: 'Hello\u001b[2J\u0007,\n\nhttps://pamba.example/reset-password?oobCode=abc\n',
    html: '',
    messageId: 'abc',
  })
  expect(printed[0]?.split('\n')).toEqual([
    'Mail to wanjiru@example.com, shown here instead of being sent',
    expect.stringMatching(/^┌─+$/),
    '│ Subject: Choose a new password',
    '│',
    '│ Hello[2J,',
    '│',
    '│ https://pamba.example/reset-password?oobCode=abc',
    expect.stringMatching(/^└─+$/),
  ])
  expect(handedOn).toEqual(['Choose a new password'])
})
