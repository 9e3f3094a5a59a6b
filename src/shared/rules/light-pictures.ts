import type { Catalogue } from './catalogue.ts'
import { perCatalogue } from './per-catalogue.ts'

/** The drawings beside which the build puts a lighter twin: of products, and the large ones of Home and About. */
const OWN_DRAWING = /^(\/?images\/(?:products\/.+|hero|story-\w+))\.svg$/

const lightCatalogues = perCatalogue<Catalogue>()

/** The address of a picture's lighter twin; its own where there is none. */
export function lightAddress(image: string): string {
  return image.replace(OWN_DRAWING, '$1.light.svg')
}

/** The catalogue with the lighter pictures, for visitors who save data; the same list again for the same catalogue. */
export function lightCatalogue(catalogue: Catalogue): Catalogue {
  return lightCatalogues(catalogue, 'light', () =>
    catalogue.map((product) => ({ ...product, image: lightAddress(product.image) })),
  )
}
