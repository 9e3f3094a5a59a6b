import { useAtomValue } from 'jotai'
import { Layout } from '#client/app/layout/layout.tsx'
import { RouteGuard } from '#client/app/layout/route-guard.tsx'
import { type PageLocation, type PageModule, type View, viewAtom } from '#client/app/router/page.ts'
import type { DataSource } from '#client/app/router/page-data.tsx'
import type { PageData } from '#shared/page-data.ts'
import type { PageName } from '#shared/routes.ts'

const pages: { [Name in PageName]: () => Promise<PageModule<Name>> } = {
  home: () => import('#client/home/home-page.tsx'),
  shop: () => import('#client/catalogue/shop-page.tsx'),
  product: () => import('#client/catalogue/product-page.tsx'),
  about: () => import('#client/about/about-page.tsx'),
  contact: () => import('#client/contact/contact-page.tsx'),
  buy: () => import('#client/cart/buy-page.tsx'),
  cart: () => import('#client/cart/cart-page.tsx'),
  checkout: () => import('#client/checkout/checkout-page.tsx'),
  dashboard: () => import('#client/accounts/dashboard-page.tsx'),
  accountDetails: () => import('#client/accounts/account-details-page.tsx'),
  accountPassword: () => import('#client/accounts/account-password-page.tsx'),
  accountDevices: () => import('#client/accounts/account-devices-page.tsx'),
  accountData: () => import('#client/accounts/account-data-page.tsx'),
  login: () => import('#client/accounts/login-page.tsx'),
  register: () => import('#client/accounts/register-page.tsx'),
  forgotPassword: () => import('#client/accounts/forgot-password-page.tsx'),
  resetPassword: () => import('#client/accounts/reset-password-page.tsx'),
  findOrder: () => import('#client/orders/find-order-page.tsx'),
  order: () => import('#client/orders/order-page.tsx'),
  notFound: () => import('#client/app/not-found/not-found-page.tsx'),
}

export function loadPage<Name extends PageName>(name: Name): Promise<PageModule<Name>> {
  return pages[name]()
}

export function createView<Name extends PageName>(
  { Page }: PageModule<Name>,
  location: PageLocation,
  data: DataSource<PageData[Name]>,
  rest: Pick<View, 'key' | 'navigationType' | 'onRendered'>,
): View {
  return { ...rest, location, element: <Page location={location} data={data} /> }
}

export function App() {
  const view = useAtomValue(viewAtom)
  return <Layout>{view && <RouteGuard view={view} />}</Layout>
}
