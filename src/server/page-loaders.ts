import {
  loadAccountDetailsPage,
  loadAccountDevicesPage,
  loadDashboardPage,
  loadResetPasswordPage,
} from '#server/accounts/pages.ts'
import { loadBuyPage, loadProductPage, loadShopPage } from '#server/catalogue/pages.ts'
import { loadAboutPage, loadContactPage } from '#server/content/pages.ts'
import { loadHomePage } from '#server/home/pages.ts'
import { loadCheckoutPage, loadOrderPage } from '#server/orders/pages.ts'
import type { PageLoader } from '#server/platform/pages/page-loader.ts'
import type { PageName } from '#shared/routes.ts'

const withoutData = () => ({ status: 200, data: null }) as const

export const pageLoaders: { [Name in PageName]: PageLoader<Name> } = {
  home: loadHomePage,
  shop: loadShopPage,
  product: loadProductPage,
  buy: loadBuyPage,
  dashboard: loadDashboardPage,
  accountDetails: loadAccountDetailsPage,
  accountPassword: withoutData,
  accountDevices: loadAccountDevicesPage,
  accountData: withoutData,
  about: loadAboutPage,
  contact: loadContactPage,
  cart: withoutData,
  checkout: loadCheckoutPage,
  login: withoutData,
  register: withoutData,
  forgotPassword: withoutData,
  resetPassword: loadResetPasswordPage,
  findOrder: withoutData,
  order: loadOrderPage,
  notFound: () => ({ status: 404, data: null }),
}
