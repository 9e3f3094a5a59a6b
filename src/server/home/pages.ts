import type { PageLoader } from '#server/platform/pages/page-loader.ts'
import { shop, shopProfile } from '#shared/shop.ts'

export const loadHomePage: PageLoader<'home'> = ({ origin }, { content }) => ({
  status: 200,
  data: null,
  head: {
    jsonLd: [
      {
        '@context': 'https://schema.org',
        '@type': 'ClothingStore',
        name: shop.name,
        description: shopProfile.description,
        url: `${origin}/`,
        image: `${origin}/images/share.png`,
        logo: `${origin}/icons/icon-512.png`,
        email: content.current().pages.contact.email,
        currenciesAccepted: shopProfile.currencyIso,
        address: {
          '@type': 'PostalAddress',
          addressLocality: shop.city,
          addressCountry: shopProfile.countryCode,
        },
      },
    ],
  },
})
