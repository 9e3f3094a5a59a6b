import type { Client } from '#server/platform/auth/client.ts'
import { renderEmail } from '#server/platform/email/layout.ts'
import type { Email } from '#server/platform/email/mailer.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'

type PasswordResetEmailInput = { codeHash: string; email: string; link: string }

export function createPasswordResetEmail({ codeHash, email, link }: PasswordResetEmailInput): Email {
  return {
    kind: 'password-reset',
    subjectId: codeHash,
    recipient: email,
    subject: 'Choose a new password',
    ...renderEmail('Choose a new password', [
      { kind: 'paragraph', text: 'We received a request to reset your password.' },
      { kind: 'link', label: 'Choose a new password', url: link },
      { kind: 'paragraph', text: 'The link works once and expires in one hour.' },
      {
        kind: 'paragraph',
        text: 'If this wasn’t you, you can ignore this email. Your password won’t change.',
      },
    ]),
  }
}

type WelcomeEmailInput = { userId: string; email: string; link: string }

/** Doesn't greet the user by name, because the person who registered may not own the address. */
export function createWelcomeEmail({ userId, email, link }: WelcomeEmailInput): Email {
  return {
    kind: 'welcome',
    subjectId: userId,
    recipient: email,
    subject: `Your ${shop.name} account`,
    ...renderEmail(`Your ${shop.name} account`, [
      {
        kind: 'paragraph',
        text: `A ${shop.name} account was created with this email address. If this was you, please confirm your email address.`,
      },
      { kind: 'link', label: 'Confirm my email address', url: link },
      {
        kind: 'paragraph',
        text: 'If this wasn’t you, don’t use this link. If you’d like an account of your own later, choose “Forgot Password?” on the login page. You’ll start with an empty account.',
      },
    ]),
  }
}

type PasswordChangedEmailInput = {
  userId: string
  email: string
  client: Client
  origin: string
  loggedOut?: 'All other devices' | 'All devices'
}

export function createPasswordChangedEmail({
  userId,
  email,
  client,
  origin,
  loggedOut = 'All other devices',
}: PasswordChangedEmailInput): Email {
  const { browser, country } = client
  return {
    kind: 'password-changed',
    subjectId: userId,
    recipient: email,
    subject: `Your ${shop.name} password was changed`,
    ...renderEmail('Your password has been changed', [
      {
        kind: 'paragraph',
        text: `Your ${shop.name} password was changed using ${browser.replace(/^Unknown/, 'an unknown')}${country ? ` (${country})` : ''}. ${loggedOut} have been logged out.`,
      },
      {
        kind: 'paragraph',
        text: 'If this was you, you don’t need to do anything. If it wasn’t, choose a new password now:',
      },
      { kind: 'link', label: 'Choose a new password', url: new URL(href('forgotPassword'), origin).href },
    ]),
  }
}

export function createAccountDeletedEmail(email: string): Email {
  return {
    kind: 'account-deleted',
    subjectId: 'account',
    recipient: email,
    subject: `Your ${shop.name} account has been deleted`,
    ...renderEmail('Your account has been deleted', [
      {
        kind: 'paragraph',
        text: `We’ve deleted your ${shop.name} account and your personal data. Past orders stay in our records without your name, address, phone number or email address.`,
      },
      {
        kind: 'paragraph',
        text: 'You can create a new account with this email address at any time. If you didn’t delete your account, please reply to this email.',
      },
    ]),
  }
}
