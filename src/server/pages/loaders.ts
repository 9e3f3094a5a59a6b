import type { PageName } from '#shared/routes.ts'
import { dashboardPage } from './dashboard.ts'
import { homePage } from './home.ts'
import type { PageLoader } from './page.ts'
import { productPage } from './product.ts'
import { shopPage } from './shop.ts'

const plain = () => ({ status: 200, data: null }) as const

/** What each page needs before it renders. */
export const pageLoaders: { [Name in PageName]: PageLoader<Name> } = {
  home: homePage,
  shop: shopPage,
  product: productPage,
  dashboard: dashboardPage,
  about: plain,
  contact: plain,
  cart: plain,
  checkout: plain,
  login: plain,
  register: plain,
  forgotPassword: plain,
  resetPassword: plain,
  notFound: () => ({ status: 404, data: null }),
}
