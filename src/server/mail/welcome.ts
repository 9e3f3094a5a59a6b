import { shop } from '#shared/shop.ts'
import { mailBody } from './layout.ts'
import type { Mail } from './mailer.ts'

type Welcome = { userId: string; email: string /** Where the address is confirmed. */; link: string }

/**
 * Asks the owner of an address to confirm that the account opened with it is theirs. It holds nothing that was typed
 * into the form: whoever did may be somebody else.
 */
export function welcomeMail({ userId, email, link }: Welcome): Mail {
  return {
    kind: 'welcome',
    subjectId: userId,
    recipient: email,
    subject: `Your ${shop.name} account`,
    ...mailBody(`Your ${shop.name} account`, [
      {
        kind: 'paragraph',
        text: `An account was opened at ${shop.name} with this address. If it was you, please confirm it.`,
      },
      { kind: 'link', label: 'Confirm my address', address: link },
      {
        kind: 'paragraph',
        text: 'If it was not you, please do not confirm it. Should you want an account later, choose “Forgot Password?” on the login page: it becomes yours, and what others have entered is removed from it.',
      },
    ]),
  }
}
