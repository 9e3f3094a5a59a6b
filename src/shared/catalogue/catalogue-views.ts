import {
  type Catalogue,
  type Category,
  type DashboardView,
  imagesOf,
  type Product,
  type ProductCard,
  type ProductImage,
  type ProductPicture,
  type ProductView,
} from './catalogue.ts'
import { cardWithStock, unitsLeftOf } from './catalogue-stock.ts'
import { itemById } from './items.ts'
import { photoAttributes, smallestPhoto } from './photos.ts'

/** The product page's data; `id` is a product's or a size's, undefined or unknown gives no product (§ 2). */
export function productView(catalogue: Catalogue, id: number | undefined): ProductView {
  const product = itemById(catalogue, id)?.product
  if (!product) return { product: null, pictures: [], related: [], failed: false }
  const related = relatedTo(catalogue, product)
  const left = unitsLeftOf([product, ...related])
  const { images, ...rest } = product
  const shown = images ? rest : product
  const pictures = imagesOf(product).map(pictureOf)
  return { product: shown, pictures, related: related.map(smallCard), ...left, failed: false }
}

/** How wide a photo is on a product's page; as if less wide on a phone's finest screens, where nobody sees the difference. */
const PHOTO_SIZES = '(width<48rem) and (min-resolution:2.1x) 10rem,(width<48rem) 15rem,min(40vw,40rem)'

/** The first picture is what the visitor waits for; the others wait until they are near the screen. */
function pictureOf({ image, alt }: ProductImage, index: number): ProductPicture {
  const urgency = index === 0 ? ({ fetchPriority: 'high' } as const) : ({ loading: 'lazy' } as const)
  const photo = photoAttributes(image, PHOTO_SIZES)
  return { src: image, alt, width: 640, height: 800, ...photo, ...urgency }
}

/** The card of a product beside others, where a photo is small. */
function smallCard(product: Product): ProductCard {
  return cardWithStock({ ...product, image: smallestPhoto(product.image) })
}

/** The dashboard's data (§ 7). */
export function dashboardView(catalogue: Catalogue): DashboardView {
  return { featured: featured(catalogue), failed: false }
}

/** Memoizes what is computed from a catalogue, by key, until the catalogue is garbage-collected. */
export function memoizeByCatalogue<Made>() {
  const cache = new WeakMap<Catalogue, Map<string, Made>>()
  return (catalogue: Catalogue, key: string, make: () => Made): Made => {
    const entries = cache.get(catalogue) ?? new Map<string, Made>()
    cache.set(catalogue, entries)
    const made = entries.get(key) ?? make()
    entries.set(key, made)
    return made
  }
}

export const FEATURED_PRODUCTS = 4
/** The maximum number of related products in the carousel. */
export const RELATED_PRODUCTS = 12

const categoryLists = memoizeByCatalogue<Catalogue>()

/** The products a filter button shows: those whose category equals or contains its label, ignoring case (§ 2). */
export function inCategory(catalogue: Catalogue, category: Category): Catalogue {
  if (category === 'All') return catalogue
  const label = category.toLowerCase()
  return categoryLists(catalogue, category, () =>
    catalogue.filter((product) => product.category.toLowerCase().includes(label)),
  )
}

/** The other products of the same category, bounded for the carousel (§ 2). */
export function relatedTo(catalogue: Catalogue, product: Product): Catalogue {
  return catalogue
    .filter(({ id, category }) => category === product.category && id !== product.id)
    .slice(0, RELATED_PRODUCTS)
}

/** The dashboard's featured products: the first four whose category contains "children" or "women" (§ 7). */
export function featured(catalogue: Catalogue): Catalogue {
  return catalogue.filter(({ category }) => /children|women/i.test(category)).slice(0, FEATURED_PRODUCTS)
}

/** The drawings of which the build makes a data-saver version: of products, and the large ones of Home and About. */
const OWN_DRAWING = /^(\/?images\/(?:products\/.+|hero|story-\w+))\.svg$/

const dataSaverCatalogues = memoizeByCatalogue<Catalogue>()

/** The address of an image's data-saver version; the image's own address where there is none. */
export function dataSaverImage(image: string): string {
  return smallestPhoto(image).replace(OWN_DRAWING, '$1.data-saver.svg')
}

const DRAWN_PRODUCT = /^(\/?images\/products\/.+?)(?:\.data-saver)?\.svg$/

/** The address of the social sharing image that the build makes for a product with a drawing; undefined for others. */
export function shareAddress(image: string): string | undefined {
  return DRAWN_PRODUCT.test(image) ? image.replace(DRAWN_PRODUCT, '$1.share.jpg') : undefined
}

/** The catalogue with data-saver images; memoized, so that the same catalogue gives the same list. */
export function dataSaverCatalogue(catalogue: Catalogue): Catalogue {
  return dataSaverCatalogues(catalogue, '', () =>
    catalogue.map(({ images, ...product }) => ({
      ...lighter(product),
      ...(images && { images: images.map(lighter) }),
    })),
  )
}

function lighter<Pictured extends { image: string }>(pictured: Pictured): Pictured {
  return { ...pictured, image: dataSaverImage(pictured.image) }
}
