import type { Client } from '#server/platform/auth/client.ts'
import { mailBody } from '#server/platform/email/layout.ts'
import type { Mail } from '#server/platform/email/mailer.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'

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

type Changed = {
  userId: string
  email: string
  client: Client
  /** The shop's public origin, for the link. */
  origin: string
}

/** Tells the owner of an account that its password was changed, with a way to take the account back. */
export function passwordChangedMail({ userId, email, client, origin }: Changed): Mail {
  const { browser, country } = client
  return {
    kind: 'password-changed',
    subjectId: userId,
    recipient: email,
    subject: `Your ${shop.name} password was changed`,
    ...mailBody('Your password was changed', [
      {
        kind: 'paragraph',
        text: `The password of your account was changed with ${browser}${country ? ` (${country})` : ''}. All other devices were signed out.`,
      },
      {
        kind: 'paragraph',
        text: 'If it was you, there is nothing to do. If it was not, choose another one now:',
      },
      { kind: 'link', label: 'Choose a new password', address: new URL(href('forgotPassword'), origin).href },
    ]),
  }
}

/** The last mail to somebody: their account is deleted. It is not stored once it is sent. */
export function accountDeletedMail(email: string): Mail {
  return {
    kind: 'account-deleted',
    subjectId: 'account',
    recipient: email,
    subject: `Your ${shop.name} account is deleted`,
    ...mailBody('Your account is deleted', [
      {
        kind: 'paragraph',
        text: `The ${shop.name} account with this address is deleted, with everything that we had stored about you. What was ordered stays in our books, without your name, address, phone number and e-mail address.`,
      },
      {
        kind: 'paragraph',
        text: 'You can open a new account with this address at any time. If it was not you who deleted it, please write to us.',
      },
    ]),
  }
}
