import { useAtomValue } from 'jotai'
import type { PageData } from '#shared/page-data.ts'
import type { PageName } from '#shared/routes.ts'
import { Frame } from './frame/frame.tsx'
import { RouteGuard } from './frame/route-guard.tsx'
import { type PageLocation, type PageModule, type View, viewAtom } from './router/page.ts'
import type { DataSource } from './router/page-data.tsx'

/** Route name → page. Each page's module is a chunk of its own, fetched when it is needed or about to be. */
const pages: { [Name in PageName]: () => Promise<PageModule<Name>> } = {
  home: () => import('./pages/home/home-page.tsx'),
  shop: () => import('./pages/shop/shop-page.tsx'),
  product: () => import('./pages/product/product-page.tsx'),
  about: () => import('./pages/about/about-page.tsx'),
  contact: () => import('./pages/contact/contact-page.tsx'),
  cart: () => import('./pages/cart/cart-page.tsx'),
  checkout: () => import('./pages/checkout/checkout-page.tsx'),
  dashboard: () => import('./pages/dashboard/dashboard-page.tsx'),
  accountDetails: () => import('./pages/account/account-details-page.tsx'),
  accountPassword: () => import('./pages/account/account-password-page.tsx'),
  accountDevices: () => import('./pages/account/account-devices-page.tsx'),
  accountData: () => import('./pages/account/account-data-page.tsx'),
  login: () => import('./pages/login/login-page.tsx'),
  register: () => import('./pages/register/register-page.tsx'),
  forgotPassword: () => import('./pages/forgot-password/forgot-password-page.tsx'),
  resetPassword: () => import('./pages/reset-password/reset-password-page.tsx'),
  findOrder: () => import('./pages/find-order/find-order-page.tsx'),
  order: () => import('./pages/order/order-page.tsx'),
  notFound: () => import('./pages/not-found/not-found-page.tsx'),
}

/** Fetches a page's module; rejects when its chunk cannot be fetched. */
export function loadPage<Name extends PageName>(name: Name): Promise<PageModule<Name>> {
  return pages[name]()
}

/** A view of a page, ready to be rendered. */
export function createView<Name extends PageName>(
  { Page }: PageModule<Name>,
  location: PageLocation,
  data: DataSource<PageData[Name]>,
  rest: Pick<View, 'key' | 'navigationType' | 'onRendered'>,
): View {
  return { ...rest, location, element: <Page location={location} data={data} /> }
}

/** The whole shop: the same tree on the server and in the browser. */
export function App() {
  const view = useAtomValue(viewAtom)
  return <Frame>{view && <RouteGuard view={view} />}</Frame>
}
