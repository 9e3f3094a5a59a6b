import * as z from 'zod/mini'
import { formatNumber } from '../format.ts'
import { type Catalogue, MAX_RATING, type Product, type SalePeriod, SIZE_SCALES } from './catalogue.ts'
import { listProductItems } from './items.ts'

export const imageUrlSchema = z
  .string()
  .check(
    z.regex(/^(\/(?![/\\])|https:\/\/)[^\s\\]+$/, 'must be a path starting with / or an https address'),
    z.refine(isUrl, 'isn’t a valid web address'),
  )

function isUrl(text: string): boolean {
  try {
    return new URL(text, 'https://localhost').protocol === 'https:'
  } catch {
    return false
  }
}

/** Catches typing errors, and keeps sums in the cart exact. */
export const MAX_PRICE_KSH = 10_000_000
export const priceSchema = z
  .number()
  .check(
    z.positive('must be above 0'),
    z.maximum(MAX_PRICE_KSH, `must be at most ${formatNumber(MAX_PRICE_KSH)}`),
    z.multipleOf(0.01, 'can have at most two decimal places'),
  )
const RATING_RANGE_ERROR = `must be between 0 and ${MAX_RATING}`
const requiredTextSchema = z.string().check(z.trim(), z.minLength(1, 'is missing'))

const MAX_SIZES = 40
const idSchema = z.int().check(z.positive())
const dateTimeSchema = z.iso.datetime({
  offset: true,
  error: 'must be a date and time such as 2026-12-24T00:00:00+03:00',
})

const sizesSchema = z
  .array(
    z.object({
      id: idSchema,
      label: requiredTextSchema,
      price: z.optional(priceSchema),
      compareAtPrice: z.optional(priceSchema),
    }),
  )
  .check(
    z.minLength(1, 'must include at least one size'),
    z.maxLength(MAX_SIZES, `are limited to ${MAX_SIZES}`),
    z.refine(
      (sizes) => new Set(sizes.map(({ label }) => label)).size === sizes.length,
      'must have different names',
    ),
  )

export const MAX_IMAGES = 12

const imagesSchema = z
  .array(
    z.object({
      image: imageUrlSchema,
      alt: requiredTextSchema,
    }),
  )
  .check(
    z.minLength(1, 'must include at least one photo'),
    z.maxLength(MAX_IMAGES, `are limited to ${MAX_IMAGES}`),
    z.refine(
      (images) => new Set(images.map(({ image }) => image)).size === images.length,
      'must all be different',
    ),
  )

/** Validates an entry of `Items.json` (§ 3) and normalises it to {@link Product}. */
export const productSchema = z.pipe(
  z.object({
    id: idSchema,
    title: z.optional(requiredTextSchema),
    name: z.optional(requiredTextSchema),
    description: requiredTextSchema,
    price: priceSchema,
    compareAtPrice: z.optional(priceSchema),
    saleStartsAt: z.optional(dateTimeSchema),
    saleEndsAt: z.optional(dateTimeSchema),
    image: imageUrlSchema,
    images: z.optional(imagesSchema),
    category: requiredTextSchema,
    rating: z.optional(
      z.object({
        rate: z.number().check(z.minimum(0, RATING_RANGE_ERROR), z.maximum(MAX_RATING, RATING_RANGE_ERROR)),
      }),
    ),
    scale: z.optional(z.enum(SIZE_SCALES, `must be one of ${SIZE_SCALES.join(', ')}`)),
    sizes: z.optional(sizesSchema),
  }),
  z.transform((entry, { issues, value }): Product => {
    const { title, name, rating, scale, sizes, images, saleStartsAt, saleEndsAt, compareAtPrice, ...rest } =
      entry
    const reject = (field: string, message: string) => {
      issues.push({ code: 'custom', message, path: [field], input: value })
      return z.NEVER
    }
    const productTitle = title ?? name
    if (productTitle === undefined) return reject('title', 'is missing')
    if (images && images[0]?.image !== rest.image) return reject('images', 'must start with the main photo')
    const isAboveSalePrice = ({ price, compareAtPrice }: EntryPrices) =>
      compareAtPrice === undefined || (price !== undefined && compareAtPrice > price)
    if (![entry, ...(sizes ?? [])].every(isAboveSalePrice))
      return reject('compareAtPrice', 'must be above the sale price')
    const sale = getSalePeriod({ saleStartsAt, saleEndsAt })
    if (sale.startsAtMs !== undefined && sale.endsAtMs !== undefined && sale.startsAtMs >= sale.endsAtMs)
      return reject('saleEndsAt', 'must be after the start')
    const product = {
      ...rest,
      ...(compareAtPrice !== undefined && { compareAtPrice }),
      ...((saleStartsAt || saleEndsAt) && { sale }),
      ...(images && { images }),
      title: productTitle,
      ...(rating && { rating: rating.rate }),
    }
    if (!scale && !sizes) return product
    if (!scale) return reject('scale', 'is required with sizes')
    if (!sizes) return reject('sizes', 'are required with a size type')
    if (sizes[0]?.id !== rest.id) return reject('sizes', 'must start with the id of the product')
    return {
      ...product,
      sizing: { scale, sizes: sizes.map((size) => withProductPrices(size, entry)) },
    }
  }),
)

type EntryPrices = { price?: number | undefined; compareAtPrice?: number | undefined }

function withProductPrices<Size extends EntryPrices>(size: Size, product: EntryPrices & { price: number }) {
  const { price, compareAtPrice, ...rest } = size
  const prices = price === undefined ? product : { price, compareAtPrice }
  return {
    ...rest,
    price: prices.price,
    ...(prices.compareAtPrice !== undefined && { compareAtPrice: prices.compareAtPrice }),
  }
}

export function getSalePeriod({
  saleStartsAt,
  saleEndsAt,
}: {
  saleStartsAt?: string | undefined
  saleEndsAt?: string | undefined
}): SalePeriod {
  return {
    ...(saleStartsAt && { startsAtMs: Date.parse(saleStartsAt) }),
    ...(saleEndsAt && { endsAtMs: Date.parse(saleEndsAt) }),
  }
}

export type CatalogueEntry = z.input<typeof productSchema>

/** `Items.json` (§ 7). Ids must be unique across products and sizes. */
export const catalogueSchema = z.array(productSchema).check(({ value, issues }) => {
  const seen = new Set<number>()
  value.forEach((product, index) => {
    listProductItems(product).forEach(({ id }, n) => {
      const path = product.sizing && n > 0 ? [index, 'sizes', n, 'id'] : [index, 'id']
      if (seen.has(id)) issues.push({ code: 'custom', message: 'is used twice', path, input: value })
      seen.add(id)
    })
  })
})

export function parseCatalogueEntries(file: unknown): Catalogue {
  return catalogueSchema.parse(file)
}
