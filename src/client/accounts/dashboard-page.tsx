import { useAtomValue } from 'jotai'
import { useEffect, useState } from 'react'
import { callApi } from '#client/app/api.ts'
import { bootAtom } from '#client/app/boot.ts'
import { loadCatalogue, loadCatalogueView } from '#client/app/fetch-catalogue.ts'
import { withContent } from '#client/app/fetch-content.ts'
import type { PageProps } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import { useUser } from '#client/app/use-user.ts'
import { YourOrders } from '#client/orders/your-orders.tsx'
import { Picture } from '#client/ui/picture.tsx'
import { ACTIVITY_LABELS } from '#shared/accounts/account-forms.ts'
import { type AccountActivity, getActivityCall } from '#shared/accounts/contract.ts'
import type { Catalogue, DashboardView } from '#shared/catalogue/catalogue.ts'
import { CARD_PICTURE_SIZE } from '#shared/catalogue/pictures.ts'
import { formatAmount } from '#shared/format.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import { formatDateTime } from '#shared/time.ts'
import { AccountLinks } from './account-section.tsx'
import { EmailAddress } from './email-address.tsx'

function DashboardPage({ data }: PageProps<'dashboard'>) {
  return (
    <div className="page dashboard">
      <WithData
        source={data}
        fallback={
          <p className="notice waiting" role="status">
            Loading...
          </p>
        }
      >
        {(view) => <DashboardContent {...view} />}
      </WithData>
    </div>
  )
}

function DashboardContent({ featured, hasFailed }: DashboardView) {
  const { isEmailVerified, events } = useActivity()
  return (
    <>
      <DashboardWelcome isGuest={hasFailed} />
      <YourOrders isEmailVerified={isEmailVerified} />
      <YourAccount />
      <FeaturedProducts products={featured} />
      <MissionSection />
      <RecentActivity events={events} />
    </>
  )
}

function useActivity(): AccountActivity {
  const [activity, setActivity] = useState<AccountActivity>({ isEmailVerified: true, events: [] })
  useEffect(() => {
    let isCurrent = true
    void callApi(getActivityCall).then((result) => {
      if (isCurrent && result.ok) setActivity(result.data)
    })
    return () => {
      isCurrent = false
    }
  }, [])
  return activity
}

/** Shows a guest greeting if there is no user or the catalogue failed to load (§ 8). */
function DashboardWelcome({ isGuest }: { isGuest: boolean }) {
  const user = useUser()
  const email = isGuest ? undefined : user?.email
  return (
    <header className="stack stack--s">
      <h1>
        {'Welcome, '}
        {email ? <EmailAddress email={email} /> : 'Guest'}
      </h1>
      <p className="lead">Sustainable clothing for kids and women, made to be worn, washed and passed on.</p>
      {!isGuest && user?.name === '' && (
        <p className="banner">
          <span>
            {'We removed your name and address when the password was reset. '}
            <a href={href('accountDetails')}>Add them again</a>
          </span>
        </p>
      )}
    </header>
  )
}

function MissionSection() {
  return (
    <p className="panel panel--stitched dashboard__mission">
      {`Our mission is to clothe families with care. ${shop.name} uses organic cotton, works with small ${shop.city} workshops and pays fairly, so what feels soft on your children’s skin is also kind to the place where they grow up.`}
    </p>
  )
}

function FeaturedProducts({ products }: { products: Catalogue }) {
  const { savesData } = useAtomValue(bootAtom)
  return (
    <section className="stack" aria-labelledby="featured">
      <div className="dashboard__head spread">
        <h2 id="featured">Featured Products</h2>
        <a className="button" href={href('shop')}>
          Shop Now
        </a>
      </div>
      {products.length === 0 ? (
        <p>No featured products available.</p>
      ) : (
        <ul className="featured">
          {products.map(({ id, title, category, price, image }) => (
            <li key={id}>
              <a className="featured__card" href={href('product', { id })}>
                <Picture
                  image={image}
                  size={CARD_PICTURE_SIZE}
                  savesData={savesData}
                  width="320"
                  height="400"
                />
                <span className="item-title">{title}</span>
                <span className="note">{category}</span>
                <span className="featured__price">{`${shop.currency}${formatAmount(price)}`}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function YourAccount() {
  return (
    <section className="stack" aria-labelledby="your-account">
      <h2 id="your-account">Your account</h2>
      <AccountLinks />
    </section>
  )
}

function RecentActivity({ events }: Pick<AccountActivity, 'events'>) {
  if (events.length === 0) return null
  return (
    <section className="stack" aria-labelledby="recent-activity">
      <h2 id="recent-activity">Recent activity</h2>
      <table className="orders">
        <thead>
          <tr>
            <th scope="col">Activity</th>
            <th scope="col">Device</th>
            <th scope="col">Date</th>
          </tr>
        </thead>
        <tbody>
          {events.map(({ kind, atMs, browser, country }) => (
            <tr key={`${kind} ${atMs}`}>
              <th scope="row">{ACTIVITY_LABELS[kind]}</th>
              <td>{[browser, country].filter(Boolean).join(', ') || '–'}</td>
              <td>
                <time dateTime={new Date(atMs).toISOString()}>{formatDateTime(atMs)}</time>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        {'Don’t recognise something? '}
        <a href={href('forgotPassword')}>Choose a new password</a>
      </p>
    </section>
  )
}

export { DashboardPage as Page, loadCatalogue as prefetch }

export function load(): DashboardView | Promise<DashboardView> {
  return withContent(({ featured }) =>
    loadCatalogueView(({ catalogue, dashboardView }) => dashboardView(catalogue, featured), {
      featured: [],
      hasFailed: true,
    }),
  )
}
