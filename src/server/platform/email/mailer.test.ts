import { expect, it } from 'vitest'
import { createPrintingMailer } from './mailer.ts'

it('the printing mailer prints the whole email without terminal control characters and passes it on', async () => {
  const printed: string[] = []
  const sent: string[] = []
  const next = { send: async ({ subject }: { subject: string }) => void sent.push(subject) }
  await createPrintingMailer(next, (text) => printed.push(text)).send({
    kind: 'password-reset',
    subjectId: 'user',
    recipient: 'wanjiru@example.com',
    subject: 'Choose a new password',
    text: 'Hello\u001b[2J\u0007,\n\nhttps://pamba.example/reset-password?oobCode=abc\n',
    html: '',
    messageId: 'abc',
  })
  expect(printed[0]?.split('\n')).toEqual([
    'Email to wanjiru@example.com (printed, not sent)',
    expect.stringMatching(/^┌─+$/),
    '│ Subject: Choose a new password',
    '│',
    '│ Hello[2J,',
    '│',
    '│ https://pamba.example/reset-password?oobCode=abc',
    expect.stringMatching(/^└─+$/),
  ])
  expect(sent).toEqual(['Choose a new password'])
})
