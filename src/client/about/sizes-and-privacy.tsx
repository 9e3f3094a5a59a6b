import { SizeGuides } from '#client/catalogue/size-guide.tsx'
import { RichText } from '#client/content/rich-text.tsx'
import type { AboutView, RichText as Text } from '#shared/content/content.ts'
import { ORDER_RETENTION_YEARS, RETENTION_DAYS } from '#shared/retention.ts'

export function SizesAndPrivacy({ sizes, privacy }: Pick<AboutView, 'sizes' | 'privacy'>) {
  return (
    <>
      <SizesSection text={sizes} />
      <PrivacySection text={privacy} />
    </>
  )
}

const { activity, deliveredEmails, failedEmails, messages, stockAlerts, unusedAccount, visitSpeeds } =
  RETENTION_DAYS

const storedData = [
  {
    what: 'Your account',
    text: 'Your name and email address, your address and phone number if you add them, and any notes we make about you. We never store your password, only a code that can’t be turned back into it.',
    until: `Until you delete your account. If we’ve stopped taking your orders, we keep such codes for your email address and phone number after that. Accounts with an unconfirmed email address are deleted after ${unusedAccount} days without an order or a login.`,
  },
  {
    what: 'Your orders',
    text: 'What you bought, where we delivered it, your phone number and what you paid. For cards, we store at most the brand and last four digits; for M-Pesa, the receipt and the payer’s phone number or name. We never see your card number. Until your first order is paid, we also store codes for your device, phone number and network that can’t be turned back into them, to stop anyone from reserving everything in the shop. We delete them at most a day after the order is paid, cancelled or expired.',
    until: `${ORDER_RETENTION_YEARS} years, as tax law requires. After that, or when you delete your account, we keep the figures without your name, address, phone number or email address.`,
  },
  {
    what: 'Your devices and account activity',
    text: 'The browser and country you logged in from, and changes to your password and address, so you can spot anything you don’t recognise.',
    until: `Devices: until 14 days after you last used them or 90 days after you logged in, whichever comes first. Activity: ${activity} days. Failed logins: one day.`,
  },
  {
    what: 'Messages and emails',
    text: 'What you send us through the contact page, your back-in-stock requests, and the emails we send you.',
    until: `Messages: ${messages} days. Back-in-stock requests: until the item is back, up to ${stockAlerts} days. Emails: ${deliveredEmails} days, or ${failedEmails} days if they couldn’t be delivered.`,
  },
  {
    what: 'Page speed',
    text: 'One in ten visits reports how long the first page took to load. The report uses no cookies and contains nothing about you. Browsers with data saving, Do Not Track or Global Privacy Control turned on send no report.',
    until: `Only as daily counts per page, for ${visitSpeeds} days.`,
  },
  {
    what: 'In your browser',
    text: 'Your cart, your saved items, your sizes, your promo code, how you last paid, the last orders you’ve opened, what you’ve typed into the contact and checkout forms (never card details), and who is logged in. We use cookies to keep you logged in, to recognise a device you’ve used before, and to take you back to the page you were on when we asked you to log in. No advertising, no tracking.',
    until:
      'Until you clear it. Logging out ends the session and removes these orders from your browser. The device cookie lasts 400 days, and the login page’s cookie lasts five minutes.',
  },
]

function PrivacySection({ text }: { text: Text }) {
  return (
    <section id="privacy" className="page house-rules stack" aria-labelledby="privacy-heading" tabIndex={-1}>
      <h2 id="privacy-heading">Privacy</h2>
      <RichText text={text} />
      <dl className="house-rules__list">
        {storedData.map(({ what, text, until }) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{text}</dd>
            <dd>{until}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function SizesSection({ text }: { text: Text }) {
  return (
    <section id="sizes" className="page page--last" aria-labelledby="size-guide">
      <h2 id="size-guide">Size guide</h2>
      {text.length > 0 && (
        <div className="house-rules stack">
          <RichText text={text} />
        </div>
      )}
      <div id="size-guide-mother-and-child" className="story-sizes__guides">
        <SizeGuides />
      </div>
    </section>
  )
}
