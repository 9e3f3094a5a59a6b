import type { Mailer } from './mail.ts'

/** What people wrote must not steer the terminal. */
const TERMINAL_CONTROLS = /[^\P{Cc}\n\t]/gu

/** For the local shop: prints each mail's plain text, framed, and hands the mail on. */
export function printingMailer(next: Mailer, print: (text: string) => void): Mailer {
  return {
    async send(mail) {
      await next.send(mail)
      print(
        [
          `┌── Mail to ${mail.recipient} ${'─'.repeat(20)}`,
          `│ Subject: ${mail.subject}`,
          ...(mail.replyTo ? [`│ Reply-To: ${mail.replyTo}`] : []),
          '│',
          ...mail.text.trimEnd().replace(TERMINAL_CONTROLS, '').split('\n').map(printedLine),
          `└${'─'.repeat(40)}`,
        ].join('\n'),
      )
    },
  }
}

/** A line that is only an address stands without the frame, so that terminals make a whole link of it. */
function printedLine(line: string): string {
  return /^https?:\/\/\S+$/.test(line) ? `  ${line}` : `│ ${line}`.trimEnd()
}
