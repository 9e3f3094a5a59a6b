import { SizeGuides } from '#client/catalogue/size-guide.tsx'
import { ORDER_RETENTION_YEARS, RETENTION_DAYS } from '#shared/retention.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'

/** The last sections of the Story page, which shoppers look up: sizes, and what the shop stores. */
export function SizesAndPrivacy() {
  return (
    <>
      <Sizes />
      <Privacy />
    </>
  )
}

const { activity, deliveredMail, failedMail, messages, stockAlerts, unusedAccount, visitSpeeds } =
  RETENTION_DAYS

/** What is stored, and for how long. `server/housekeeping.ts` deletes accordingly. */
const stored = [
  {
    what: 'Your account',
    text: 'Name, e-mail address, and address and phone number if you give them. Of your password only a digest, from which it cannot be read.',
    until: `Until you delete your account. One whose e-mail address was never confirmed goes after ${unusedAccount} days without an order and without anybody signing in.`,
  },
  {
    what: 'Your orders',
    text: 'What you bought, where it went, whom we called, what you paid. Of a card at most its brand and last four digits; of M-Pesa the phone number and the receipt. Card numbers never reach us.',
    until: `${ORDER_RETENTION_YEARS} years, as the tax office asks. After that, or once you delete your account, the figures stay without your name, address, phone number and e-mail address.`,
  },
  {
    what: 'Your devices and what happened to your account',
    text: 'With which browser and from which country you signed in, and changes of password and address, so that you can notice what was not you.',
    until: `A device until 14 days after you last used it, and 90 days at most; what happened, ${activity} days. Wrong passwords are counted for a day.`,
  },
  {
    what: 'Messages and mails',
    text: 'What you write to us on the contact page, and the mails that we send you.',
    until: `Messages ${messages} days; an address that waits for a product until it is back, ${stockAlerts} days at most; mails ${deliveredMail} days, or ${failedMail} days where they could not be delivered.`,
  },
  {
    what: 'How fast our pages were',
    text: 'One visit in ten reports how long its first page took, without a cookie and without anything of you; none does whose browser saves data or asks not to be tracked.',
    until: `As counts by day and page, ${visitSpeeds} days.`,
  },
  {
    what: 'In your browser',
    text: 'Your cart, what you saved for later, what you have typed into a form, and who is signed in. Two cookies: one for your session, one by which we know a device that you have used before. No advertising and no tracking.',
    until: 'Until you clear it; logging out ends the session. The second cookie lasts 400 days.',
  },
]

/** What the shop stores about people, where, for how long, and what they can do about it (§ 2). */
function Privacy() {
  return (
    <section id="privacy" className="page house-rules stack" aria-labelledby="privacy-heading" tabIndex={-1}>
      <h2 id="privacy-heading">Privacy</h2>
      <p>
        We store what it takes to sell you clothes and bring them to you, and nothing else. It is in{' '}
        {shop.name}'s database at Cloudflare, whose backups go back 30 days. Our logs hold no names and no
        addresses.
      </p>
      <dl className="house-rules__list">
        {stored.map(({ what, text, until }) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{text}</dd>
            <dd>{until}</dd>
          </div>
        ))}
      </dl>
      <p>
        The rider gets your name, address and phone number. Safaricom or Paystack learn what you pay, and from
        which phone or card. A chat on our home page, if you use it, is run by its provider. Nobody else gets
        anything, and we sell no data.
      </p>
      <p>
        You can <a href={href('accountData')}>take your data along or delete your account</a> yourself, at any
        time, and <a href={href('accountDetails')}>correct your details</a>. For anything else, write to{' '}
        <a href={`mailto:${shop.email}`}>{shop.email}</a>. If we do not settle it, you can complain to Kenya's
        Office of the Data Protection Commissioner.
      </p>
    </section>
  )
}

/** The size guides of all scales, where the product pages' links to a guide lead without scripts. */
function Sizes() {
  return (
    <section id="sizes" className="page page--last" aria-labelledby="size-guide">
      <h2 id="size-guide">Size guide</h2>
      <div id="size-guide-mother-and-child" className="story-sizes__guides">
        <SizeGuides />
      </div>
    </section>
  )
}
