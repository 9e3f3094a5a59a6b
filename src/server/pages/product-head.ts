import { href } from '#shared/routes.ts'
import { MAX_RATING, type Product } from '#shared/rules/catalogue.ts'
import { shop } from '#shared/shop.ts'
import type { PageHead } from '../render/document.ts'

/** What search engines and chats are told about a product. */
export function productHead(product: Product, origin: string): Partial<PageHead> {
  const { id, title, description, price, image, category, rating } = product
  const address = origin + href('product', { id })
  const picture = new URL(image, origin).href
  return {
    title,
    description,
    canonical: address,
    // Chats do not draw SVG; such a product is shared with the shop's own picture.
    ...(image.endsWith('.svg') ? {} : { image: { url: picture } }),
    jsonLd: [
      {
        '@context': 'https://schema.org',
        '@type': 'Product',
        name: title,
        description,
        category,
        image: picture,
        url: address,
        sku: String(id),
        brand: { '@type': 'Brand', name: shop.name },
        offers: {
          '@type': 'Offer',
          url: address,
          price: String(price),
          priceCurrency: shop.currencyIso,
          availability: 'https://schema.org/InStock',
        },
        additionalProperty: { '@type': 'PropertyValue', name: 'Rating', value: rating, maxValue: MAX_RATING },
      },
    ],
  }
}
