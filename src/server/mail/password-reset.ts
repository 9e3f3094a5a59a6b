import { mailBody } from './layout.ts'
import type { Mail } from './mailer.ts'

/** How long a reset link works. Its mail names this time, and is not sent after it. */
export const RESET_TTL_SECONDS = 60 * 60

type Reset = { codeHash: string; email: string; link: string }

/** The mail with a link to choose a new password. */
export function passwordResetMail({ codeHash, email, link }: Reset): Mail {
  return {
    kind: 'password-reset',
    subjectId: codeHash,
    recipient: email,
    subject: 'Choose a new password',
    ...mailBody('Choose a new password', [
      { kind: 'paragraph', text: 'Somebody, hopefully you, asked for a new password for this address.' },
      { kind: 'link', label: 'Choose a new password', address: link },
      { kind: 'paragraph', text: 'The link works once, within one hour.' },
      {
        kind: 'paragraph',
        text: 'If it was not you, there is nothing to do: your password stays as it is.',
      },
    ]),
  }
}
