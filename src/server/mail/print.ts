import type { Mailer } from './mail.ts'

/** What people wrote must not steer the terminal. */
const TERMINAL_CONTROLS = /[^\P{Cc}\n\t]/gu
const RULE = '─'.repeat(60)

/** For the local shop: prints each mail's plain text, framed, and hands the mail on. */
export function printingMailer(next: Mailer, print: (text: string) => void): Mailer {
  return {
    async send(mail) {
      await next.send(mail)
      const { recipient, replyTo, subject, text } = mail
      const lines = [
        `Subject: ${subject}`,
        ...(replyTo ? [`Reply-To: ${replyTo}`] : []),
        '',
        ...text.trimEnd().split('\n'),
      ]
      print(
        [
          `Mail to ${recipient}, shown here instead of being sent`,
          `┌${RULE}`,
          ...lines.map((line) => `│ ${line}`.trimEnd()),
          `└${RULE}`,
        ]
          .join('\n')
          .replace(TERMINAL_CONTROLS, ''),
      )
    },
  }
}
