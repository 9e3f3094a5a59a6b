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

const loadWithoutData = () => ({ status: 200, data: null }) as const

export const pageLoaders: { [Name in PageName]: PageLoader<Name> } = {
  home: loadHomePage,
  shop: loadShopPage,
  product: loadProductPage,
  buy: loadBuyPage,
  dashboard: loadDashboardPage,
  accountDetails: loadAccountDetailsPage,
  accountPassword: loadWithoutData,
  accountDevices: loadAccountDevicesPage,
  accountData: loadWithoutData,
  about: loadAboutPage,
  contact: loadContactPage,
  cart: loadWithoutData,
  checkout: loadCheckoutPage,
  login: loadWithoutData,
  register: loadWithoutData,
  forgotPassword: loadWithoutData,
  resetPassword: loadResetPasswordPage,
  findOrder: loadWithoutData,
  order: loadOrderPage,
  notFound: () => ({ status: 404, data: null }),
}
