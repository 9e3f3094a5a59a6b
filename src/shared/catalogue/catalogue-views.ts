import {
  type Catalogue,
  type Category,
  type DashboardView,
  type Product,
  type ProductCard,
  type ProductImage,
  type ProductPicture,
  type ProductView,
  productImages,
} from './catalogue.ts'
import { cardWithStock, collectUnitsLeft } from './catalogue-stock.ts'
import { itemById } from './items.ts'
import { photoAttributes, smallestPhoto } from './photos.ts'

/** `id` is a product's or a size's; an unknown one gives no product (§ 2). */
export function productView(catalogue: Catalogue, id: number | undefined): ProductView {
  const product = itemById(catalogue, id)?.product
  if (!product) return { product: null, pictures: [], related: [], failed: false }
  const related = relatedProducts(catalogue, product)
  const left = collectUnitsLeft([product, ...related])
  const { images, ...rest } = product
  const productData = images ? rest : product
  const pictures = productImages(product).map(toPicture)
  return { product: productData, pictures, related: related.map(smallCard), ...left, failed: false }
}

/** Understates the width on high-density phones, where a larger file looks the same. */
const PHOTO_SIZES = '(width<48rem) and (min-resolution:2.1x) 10rem,(width<48rem) 15rem,min(40vw,40rem)'

function toPicture({ image, alt }: ProductImage, index: number): ProductPicture {
  const urgency = index === 0 ? ({ fetchPriority: 'high' } as const) : ({ loading: 'lazy' } as const)
  const photo = photoAttributes(image, PHOTO_SIZES)
  return { src: image, alt, width: 640, height: 800, ...photo, ...urgency }
}

function smallCard(product: Product): ProductCard {
  return cardWithStock({ ...product, image: smallestPhoto(product.image) })
}

export function dashboardView(catalogue: Catalogue): DashboardView {
  return { featured: featuredProducts(catalogue), failed: false }
}

export function memoizeByCatalogue<Made>() {
  const cache = new WeakMap<Catalogue, Map<string, Made>>()
  return (catalogue: Catalogue, key: string, compute: () => Made): Made => {
    const entries = cache.get(catalogue) ?? new Map<string, Made>()
    cache.set(catalogue, entries)
    const value = entries.get(key) ?? compute()
    entries.set(key, value)
    return value
  }
}

export const FEATURED_PRODUCTS = 4
export const RELATED_PRODUCTS = 12

const categoryLists = memoizeByCatalogue<Catalogue>()

/** Products whose category equals or contains the label, ignoring case (§ 2). */
export function productsInCategory(catalogue: Catalogue, category: Category): Catalogue {
  if (category === 'All') return catalogue
  const label = category.toLowerCase()
  return categoryLists(catalogue, category, () =>
    catalogue.filter((product) => product.category.toLowerCase().includes(label)),
  )
}

export function relatedProducts(catalogue: Catalogue, product: Product): Catalogue {
  return catalogue
    .filter(({ id, category }) => category === product.category && id !== product.id)
    .slice(0, RELATED_PRODUCTS)
}

/** The first four products whose category contains "children" or "women" (§ 7). */
export function featuredProducts(catalogue: Catalogue): Catalogue {
  return catalogue.filter(({ category }) => /children|women/i.test(category)).slice(0, FEATURED_PRODUCTS)
}

const DRAWING = /^(\/?images\/(?:products\/.+|hero|story-\w+))\.svg$/

const dataSaverCatalogues = memoizeByCatalogue<Catalogue>()

export function dataSaverImage(image: string): string {
  return smallestPhoto(image).replace(DRAWING, '$1.data-saver.svg')
}

const PRODUCT_DRAWING = /^(\/?images\/products\/.+?)(?:\.data-saver)?\.svg$/

export function shareImageUrl(image: string): string | undefined {
  return PRODUCT_DRAWING.test(image) ? image.replace(PRODUCT_DRAWING, '$1.share.jpg') : undefined
}

export function dataSaverCatalogue(catalogue: Catalogue): Catalogue {
  return dataSaverCatalogues(catalogue, '', () =>
    catalogue.map(({ images, ...product }) => ({
      ...withDataSaverImage(product),
      ...(images && { images: images.map(withDataSaverImage) }),
    })),
  )
}

function withDataSaverImage<Pictured extends { image: string }>(pictured: Pictured): Pictured {
  return { ...pictured, image: dataSaverImage(pictured.image) }
}
