import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import type { PageLocation, PageProps } from '../../router/page.ts'
import { WithData } from '../../router/page-data.tsx'
import { idleSection } from '../../ui/idle-section.tsx'
import { ContactForm } from './contact-form.tsx'

const ways = [
  {
    label: 'Write an e-mail',
    shown: shop.email,
    address: `mailto:${shop.email}`,
    icon: 'M3 6.5h18v11H3zM3 7l9 6.5L21 7',
  },
  {
    label: 'Follow our days',
    shown: 'Social network',
    address: shop.social,
    icon: 'M4 12a4 4 0 1 0 8 0 4 4 0 1 0-8 0M16 5.5a2.2 2.2 0 1 0 4.4 0 2.2 2.2 0 1 0-4.4 0M16 18.5a2.2 2.2 0 1 0 4.4 0 2.2 2.2 0 1 0-4.4 0M11.6 10.4 16.2 6.8M11.6 13.6l4.6 3.6',
  },
  {
    label: 'See how the shop is made',
    shown: 'Code hosting',
    address: shop.code,
    icon: 'm8 7-5 5 5 5m8-10 5 5-5 5M13.5 4.5l-3 15',
  },
  {
    label: 'Book a visit or a call',
    shown: 'Booking calendar',
    address: shop.calendar,
    icon: 'M4 6.5h16v13H4zM4 11h16M8.5 4v4M15.5 4v4M9 15.2l2.2 2.1 3.8-3.8',
  },
]

const { Section: Delivery, fetchSection: fetchDelivery } = idleSection(() =>
  import('./delivery-and-returns.tsx').then((module) => module.DeliveryAndReturns),
)

/** How to reach the shop: the form, and four other ways (§ 2). */
function ContactPage({ data }: PageProps<'contact'>) {
  return (
    <>
      <div className="page contact">
        <header className="contact__intro stack">
          <p className="eyebrow">{`We reply ${shop.replyPromise}`}</p>
          <h1>Contact us</h1>
          <p className="lead">
            A size that is hard to find, a gift to plan, an order to ask about: tell us, and a person in our{' '}
            {shop.city} workshop answers.
          </p>
          <p>
            {'Waiting for an order? '}
            <a href={href('findOrder')}>See where it is</a>.
          </p>
        </header>
        <section className="contact__form panel panel--stitched" aria-labelledby="contact-form">
          <WithData source={data} fallback={null}>
            {(posted) => <ContactForm posted={posted} />}
          </WithData>
        </section>
        <section className="contact__ways" aria-labelledby="contact-ways">
          <h2 id="contact-ways">Other ways to reach us</h2>
          <ul className="ways">
            {ways.map(({ label, shown, address, icon }) => (
              <li key={label}>
                <a className="way" href={address}>
                  <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
                    <path d={icon} />
                  </svg>
                  <span className="way__label">{label}</span>
                  <span className="way__shown">{shown}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      </div>
      <div className="page contact__rules">
        <Delivery />
      </div>
    </>
  )
}

export { ContactPage as Page, fetchDelivery as prefetch }

/** An address with a hash waits for the sections that it may name. */
export function load({ hash }: PageLocation): Promise<null> | null {
  return hash ? fetchDelivery() : null
}
