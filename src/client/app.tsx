import { useAtomValue } from 'jotai'
import type { PageData } from '#shared/page-data.ts'
import type { PageName } from '#shared/routes.ts'
import { Frame } from './frame/frame.tsx'
import { RouteGuard } from './frame/route-guard.tsx'
import type { DataSource, PageModule, Place, View } from './router/page.ts'
import { viewAtom } from './router/view.ts'

/** Route name → page. Each page is a chunk of its own, fetched when it is needed or about to be. */
const pages: { [Name in PageName]: () => Promise<{ page: PageModule<Name> }> } = {
  home: () => import('./pages/home/home-page.tsx'),
  shop: () => import('./pages/shop/shop-page.tsx'),
  product: () => import('./pages/product/product-page.tsx'),
  about: () => import('./pages/about/about-page.tsx'),
  contact: () => import('./pages/contact/contact-page.tsx'),
  cart: () => import('./pages/cart/cart-page.tsx'),
  checkout: () => import('./pages/checkout/checkout-page.tsx'),
  dashboard: () => import('./pages/dashboard/dashboard-page.tsx'),
  login: () => import('./pages/login/login-page.tsx'),
  register: () => import('./pages/register/register-page.tsx'),
  forgotPassword: () => import('./pages/forgot-password/forgot-password-page.tsx'),
  resetPassword: () => import('./pages/reset-password/reset-password-page.tsx'),
  notFound: () => import('./pages/not-found/not-found-page.tsx'),
}

/** A page's module; rejects when its chunk cannot be fetched. */
export async function loadPage<Name extends PageName>(name: Name): Promise<PageModule<Name>> {
  const { page } = await pages[name]()
  return page
}

/** A page ready to be put on the screen. */
export function viewOf<Name extends PageName>(
  { Page }: PageModule<Name>,
  place: Place,
  data: DataSource<PageData[Name]>,
  rest: Pick<View, 'key' | 'arrival'>,
): View {
  return { ...rest, place, element: <Page place={place} data={data} /> }
}

/** The whole shop: the same tree on the server and in the browser. */
export function App() {
  const view = useAtomValue(viewAtom)
  return <Frame>{view && <RouteGuard view={view} />}</Frame>
}
