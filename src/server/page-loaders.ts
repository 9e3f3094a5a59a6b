import { accountDetailsPage, accountDevicesPage } from '#server/accounts/pages.ts'
import { checkResetLink } from '#server/accounts/reset-password.ts'
import { productPage, shopPage } from '#server/catalogue/pages.ts'
import { checkoutPage, orderPage } from '#server/orders/pages.ts'
import { catalogueView, type PageLoader } from '#server/platform/pages/page-loader.ts'
import { failedDashboardView } from '#shared/catalogue/catalogue.ts'
import { dashboardView } from '#shared/catalogue/catalogue-views.ts'
import { errors } from '#shared/errors.ts'
import type { PageName } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'

const withoutData = () => ({ status: 200, data: null }) as const

/** Home, with schema.org data about the shop. */
const homePage: PageLoader<'home'> = ({ origin }) => ({
  status: 200,
  data: null,
  head: {
    jsonLd: [
      {
        '@context': 'https://schema.org',
        '@type': 'ClothingStore',
        name: shop.name,
        description: shop.description,
        url: `${origin}/`,
        image: `${origin}/images/share.png`,
        logo: `${origin}/icons/icon-512.png`,
        email: shop.email,
        currenciesAccepted: shop.currencyIso,
        address: { '@type': 'PostalAddress', addressLocality: shop.city, addressCountry: shop.countryCode },
      },
    ],
  },
})

/** The dashboard's featured products (§ 2, § 7). */
const dashboardPage: PageLoader<'dashboard'> = (request) => ({
  status: 200,
  data: catalogueView(request, dashboardView, failedDashboardView),
})

/** The form for a new password; a link that cannot be used any more is reported at once, where that can be read. */
const resetPasswordPage: PageLoader<'resetPassword'> = async ({ url, client, onFailure }, ctx) => {
  const oobCode = url.searchParams.get('oobCode')
  if (!oobCode) return withoutData()
  const link = await checkResetLink({ oobCode, client: await client() }, ctx).catch(onFailure)
  if (!link || link.ok || link.error.code === 'too_many_requests') return withoutData()
  const { code } = link.error
  const outcome = { kind: 'failed', code, message: errors[code].message, errors: {} } as const
  return { status: 200, data: { values: {}, outcome } }
}

/** What each page needs before it renders. */
export const pageLoaders: { [Name in PageName]: PageLoader<Name> } = {
  home: homePage,
  shop: shopPage,
  product: productPage,
  dashboard: dashboardPage,
  accountDetails: accountDetailsPage,
  accountPassword: withoutData,
  accountDevices: accountDevicesPage,
  accountData: withoutData,
  about: withoutData,
  contact: withoutData,
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
