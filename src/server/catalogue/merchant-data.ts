import { MAX_RATING, type Product } from '#shared/catalogue/catalogue.ts'
import { type Item, listProductItems } from '#shared/catalogue/items.ts'
import { getShareImageUrl } from '#shared/catalogue/pictures.ts'
import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import { FREE_SHIPPING_ABOVE_KSH, STANDARD_SHIPPING_FEE_KSH } from '#shared/checkout/fees.ts'
import { formatNameWithSize } from '#shared/format.ts'
import { RETURN_DAYS } from '#shared/retention.ts'
import { href } from '#shared/routes.ts'
import { shop, shopProfile } from '#shared/shop.ts'

const JSON_LD_CONTEXT = { '@context': 'https://schema.org' } as const

type MerchantContext = { origin: string; delivery: DeliveryTerms }
type Reference = { '@id': string }
type MerchantPolicies = {
  shippingPoliciesFor: (priceKsh: number) => Reference[]
  returns: Reference
  blocks: object[]
}

/** Creates structured data for Google's merchant listings. */
export function createProductJsonLd(product: Product, context: MerchantContext): object[] {
  const items = listProductItems(product)
  const policies = createMerchantPolicies(items, context)
  const common = toProductData(product, context)
  const [only] = items
  const isSingle = items.length === 1 && only
  const block = isSingle
    ? { '@type': 'Product', ...common, sku: String(only.id), offers: toOffer(only, policies, context) }
    : {
        '@type': 'ProductGroup',
        ...common,
        productGroupID: String(product.id),
        variesBy: 'https://schema.org/size',
        hasVariant: items.map((item) => ({
          '@type': 'Product',
          name: formatNameWithSize(product.title, item.size),
          image: common.image,
          size: item.size,
          sku: String(item.id),
          offers: toOffer(item, policies, context),
        })),
      }
  return [{ ...JSON_LD_CONTEXT, ...block }, ...policies.blocks]
}

function toProductData(
  { id, title, description, category, image, rating }: Product,
  { origin }: MerchantContext,
) {
  return {
    name: title,
    description,
    category,
    image: new URL(getShareImageUrl(image) ?? image, origin).href,
    url: origin + href('product', { id }),
    brand: { '@type': 'Brand', name: shop.name },
    ...(rating !== undefined && {
      additionalProperty: {
        '@type': 'PropertyValue',
        name: 'Rating',
        value: rating,
        maxValue: MAX_RATING,
      },
    }),
  }
}

function toOffer(item: Item, policies: MerchantPolicies, { origin }: MerchantContext) {
  const { id, product, price, compareAtPrice } = item
  const { currencyIso: priceCurrency } = shopProfile
  const endsAtMs = compareAtPrice === undefined ? undefined : product.sale?.endsAtMs
  return {
    '@type': 'Offer',
    url: origin + href('product', { id }),
    price: String(price),
    priceCurrency,
    ...(compareAtPrice !== undefined && {
      priceSpecification: {
        '@type': 'UnitPriceSpecification',
        priceType: 'https://schema.org/StrikethroughPrice',
        price: String(compareAtPrice),
        priceCurrency,
      },
    }),
    ...(endsAtMs !== undefined && { priceValidUntil: new Date(endsAtMs).toISOString() }),
    availability: `https://schema.org/${toAvailability(product.left?.[id])}`,
    itemCondition: 'https://schema.org/NewCondition',
    shippingDetails: policies.shippingPoliciesFor(price),
    hasMerchantReturnPolicy: policies.returns,
  }
}

/** `left` is undefined if enough units are in stock or the item is made to order. */
function toAvailability(left: number | undefined): 'InStock' | 'LimitedAvailability' | 'OutOfStock' {
  if (left === undefined) return 'InStock'
  return left > 0 ? 'LimitedAvailability' : 'OutOfStock'
}

function createMerchantPolicies(
  items: readonly Item[],
  { origin, delivery }: MerchantContext,
): MerchantPolicies {
  const contact = origin + href('contact')
  const isFree = (priceKsh: number) => priceKsh > FREE_SHIPPING_ABOVE_KSH
  const freeDelivery = createShippingDetails(`${contact}#delivery-free`, 0)
  const paidDelivery = Object.entries(groupRegionsByFee(delivery)).map(([feeKsh, regions]) =>
    createShippingDetails(`${contact}#delivery-${feeKsh}`, Number(feeKsh), regions),
  )
  const returns = {
    ...JSON_LD_CONTEXT,
    '@type': 'MerchantReturnPolicy',
    '@id': `${contact}#returns`,
    applicableCountry: shopProfile.countryCode,
    returnPolicyCategory: 'https://schema.org/MerchantReturnFiniteReturnWindow',
    merchantReturnDays: RETURN_DAYS,
    merchantReturnLink: `${contact}#returns`,
    returnMethod: 'https://schema.org/ReturnByMail',
    returnFees: 'https://schema.org/ReturnFeesCustomerResponsibility',
    itemDefectReturnFees: 'https://schema.org/FreeReturn',
    refundType: ['https://schema.org/FullRefund', 'https://schema.org/ExchangeRefund'],
  }
  return {
    shippingPoliciesFor: (priceKsh) =>
      (isFree(priceKsh) ? [freeDelivery] : paidDelivery).map(({ '@id': id }) => ({ '@id': id })),
    returns: { '@id': returns['@id'] },
    blocks: [
      ...(items.some(({ price }) => isFree(price)) ? [freeDelivery] : []),
      ...(items.some(({ price }) => !isFree(price)) ? paidDelivery : []),
      returns,
    ],
  }
}

/**
 * Returns the counties by fee. Without delivery zones, one fee applies everywhere, and its list of counties is empty.
 */
function groupRegionsByFee({ zones }: DeliveryTerms): Record<string, string[]> {
  const counties = Object.entries(zones)
  if (counties.length === 0) return { [STANDARD_SHIPPING_FEE_KSH]: [] }
  const byFee = Map.groupBy(counties, ([, { feeKsh }]) => feeKsh)
  return Object.fromEntries([...byFee].map(([feeKsh, rows]) => [feeKsh, rows.map(([county]) => county)]))
}

function createShippingDetails(id: string, feeKsh: number, regions: readonly string[] = []) {
  return {
    ...JSON_LD_CONTEXT,
    '@type': 'OfferShippingDetails',
    '@id': id,
    shippingRate: { '@type': 'MonetaryAmount', value: String(feeKsh), currency: shopProfile.currencyIso },
    shippingDestination: {
      '@type': 'DefinedRegion',
      addressCountry: shopProfile.countryCode,
      ...(regions.length > 0 && { addressRegion: regions }),
    },
  }
}
