import { href } from '#shared/routes.ts'
import type { Catalogue } from '#shared/rules/catalogue.ts'
import { formatAmount } from '#shared/rules/format.ts'
import { shop } from '#shared/shop.ts'
import type { PageProps } from '../../router/page.ts'
import { WithData } from '../../router/page-data.tsx'
import { AccountLinks } from '../../ui/account-links.tsx'
import { useUser } from '../../ui/use-user.ts'
import { RecentActivity } from './recent-activity.tsx'
import { YourOrders } from './your-orders.tsx'

/** Where a signed-in shopper is welcomed (§ 2). */
export function DashboardPage({ data }: PageProps<'dashboard'>) {
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
        {({ featured, failed }) => (
          <>
            <Welcome isGuest={failed} />
            <FeaturedProducts products={featured} />
            <YourOrders />
            <YourAccount />
            <RecentActivity />
          </>
        )}
      </WithData>
    </div>
  )
}

/** The greeting by e-mail; a guest's where no user is known, or the catalogue could not be loaded (§ 8). */
function Welcome({ isGuest }: { isGuest: boolean }) {
  const user = useUser()
  const name = isGuest ? undefined : user?.email
  return (
    <header className="welcome panel panel--stitched">
      <div className="stack">
        <h1>{`Welcome, ${name || 'Guest'}`}</h1>
        <p className="lead">
          Sustainable clothing for kids and women, made to be worn, washed and handed on.
        </p>
        <a className="button" href={href('shop')}>
          Shop Now
        </a>
      </div>
      <p className="welcome__mission">
        {`Our mission is to dress families gently. ${shop.name} works with organic cotton, small ${shop.city} workshops and fair pay, so that what is soft on their skin is also kind to where they grow up.`}
      </p>
    </header>
  )
}

/** Up to four products for children and women (§§ 2, 7). */
function FeaturedProducts({ products }: { products: Catalogue }) {
  return (
    <section aria-labelledby="featured">
      <h2 id="featured">Featured Products</h2>
      {products.length === 0 ? (
        <p className="dashboard__none">No featured products available.</p>
      ) : (
        <ul className="featured">
          {products.map(({ id, title, category, price, image }) => (
            <li key={id}>
              <a className="featured__card" href={href('product', { id })}>
                <img src={image} alt="" width="320" height="400" />
                <span className="featured__title">{title}</span>
                <span className="featured__category">{category}</span>
                <span className="featured__price">{`${shop.currency}${formatAmount(price)}`}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** The way to the sections of the account. */
function YourAccount() {
  return (
    <section className="stack" aria-labelledby="your-account">
      <h2 id="your-account">Your account</h2>
      <AccountLinks />
    </section>
  )
}
