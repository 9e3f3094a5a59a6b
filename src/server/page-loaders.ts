import {
  accountDetailsPage,
  accountDevicesPage,
  dashboardPage,
  resetPasswordPage,
} from '#server/accounts/pages.ts'
import { loadBuyPage, loadProductPage, loadShopPage } from '#server/catalogue/pages.ts'
import { aboutPage, contactPage } from '#server/content/pages.ts'
import { homePage } from '#server/home/pages.ts'
import { checkoutPage, orderPage } from '#server/orders/pages.ts'
import type { PageLoader } from '#server/platform/pages/page-loader.ts'
import type { PageName } from '#shared/routes.ts'

const withoutData = () => ({ status: 200, data: null }) as const

export const pageLoaders: { [Name in PageName]: PageLoader<Name> } = {
  home: homePage,
  shop: loadShopPage,
  product: loadProductPage,
  buy: loadBuyPage,
  dashboard: dashboardPage,
  accountDetails: accountDetailsPage,
  accountPassword: withoutData,
  accountDevices: accountDevicesPage,
  accountData: withoutData,
  about: aboutPage,
  contact: contactPage,
  cart: withoutData,
  checkout: checkoutPage,
  login: withoutData,
  register: withoutData,
  forgotPassword: withoutData,
  resetPassword: resetPasswordPage,
  findOrder: withoutData,
  order: orderPage,
  notFound: () => ({ status: 404, data: null }),
}
