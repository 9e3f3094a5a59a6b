import { href } from '#shared/routes.ts'
import { failedDashboardView } from '#shared/rules/catalogue.ts'
import { shop } from '#shared/shop.ts'
import type { PageModule, PageProps } from '../../router/page.ts'
import { browserShelves, viewOfCatalogue } from '../../state/catalogue.ts'
import { WithData } from '../../ui/page-data.tsx'
import { useUser } from '../../ui/use-user.ts'
import { FeaturedProducts } from './featured-products.tsx'
import { YourOrders } from './your-orders.tsx'

/** Where a signed-in shopper is welcomed (§ 2). */
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
        {({ featured, failed }) => (
          <>
            <Welcome isGuest={failed} />
            <FeaturedProducts products={featured} />
            <YourOrders />
          </>
        )}
      </WithData>
    </div>
  )
}

/** The greeting by e-mail; a guest's where no user is known, or the catalogue could not be read (§ 8). */
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

export const page: PageModule<'dashboard'> = {
  Page: DashboardPage,
  load: () =>
    viewOfCatalogue(({ catalogue, dashboardView }) => dashboardView(catalogue), failedDashboardView),
  loadAhead: browserShelves,
}
