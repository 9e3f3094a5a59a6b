import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import sharp from 'sharp'
import { parseCatalogueEntries } from '#shared/catalogue/catalogue-schema.ts'
import { colours } from '#shared/colours.ts'
import { formatKsh, SHOP_TITLE_CHARACTERS, truncate } from '#shared/format.ts'
import { startDrawing, textElement } from './share-pictures.ts'

/** A picture of the Shop on one kind of screen, which browsers show before the app is installed. */
export type Screenshot = {
  file: string
  formFactor: 'narrow' | 'wide'
  width: number
  height: number
  columns: number
}

export const SCREENSHOTS: readonly Screenshot[] = [
  { file: 'images/screenshot-narrow.jpg', formFactor: 'narrow', width: 720, height: 1280, columns: 2 },
  { file: 'images/screenshot-wide.jpg', formFactor: 'wide', width: 1280, height: 720, columns: 4 },
]

const PRODUCTS = 4
const MARGIN = 40
const BAR_HEIGHT = 96
const HEADING_HEIGHT = 110
/** Below a product's picture, for its title and its price. */
const TEXTS_HEIGHT = 115
const JPEG = { quality: 80, mozjpeg: true }

/** The Shop's first products as a screen of that size shows them, drawn as JPEG; `publicFolder` has the catalogue. */
export async function screenshot(
  { width, height, columns }: Screenshot,
  shopName: string,
  publicFolder: string,
): Promise<Uint8Array> {
  const { draw } = await startDrawing()
  const cardWidth = Math.floor((width - (columns + 1) * MARGIN) / columns)
  const pictureHeight = (cardWidth * 5) / 4
  const cards = firstProducts(publicFolder).map((product, index) => ({
    ...product,
    left: MARGIN + (index % columns) * (cardWidth + MARGIN),
    top: BAR_HEIGHT + HEADING_HEIGHT + Math.floor(index / columns) * (pictureHeight + TEXTS_HEIGHT),
  }))
  const page = [
    `<rect width="${width}" height="${height}" fill="${colours.cotton}"/>`,
    `<path d="M0 ${BAR_HEIGHT}H${width}" stroke="${colours.clay}" stroke-width="3" stroke-dasharray="14 10"/>`,
    textElement({ text: shopName, size: 44, left: MARGIN, y: 64, fill: colours.clayDeep }),
    textElement({ text: 'Shop our collection', size: 48, left: MARGIN, y: BAR_HEIGHT + 74 }),
    ...cards.flatMap(({ title, price, left, top }) => [
      textElement({ text: title, size: 28, left, y: top + pictureHeight + 38 }),
      textElement({ text: price, size: 26, left, y: top + pictureHeight + 74, fill: colours.acacia }),
    ]),
  ]
  const base = await draw(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${page.join('')}</svg>`,
  )
  const pictures = cards.map(async ({ picture, left, top }) => {
    const size = { width: cardWidth, height: Math.floor(pictureHeight), fit: 'cover' } as const
    return { input: await sharp(picture).resize(size).png().toBuffer(), left, top: Math.floor(top) }
  })
  return sharp(base)
    .composite(await Promise.all(pictures))
    .jpeg(JPEG)
    .toBuffer()
}

/** The first products whose pictures are files of the shop's own. */
function firstProducts(publicFolder: string) {
  const file: unknown = JSON.parse(readFileSync(path.join(publicFolder, 'Items.json'), 'utf8'))
  return parseCatalogueEntries(file)
    .map((product) => ({ ...product, file: path.join(publicFolder, product.image) }))
    .filter((product) => product.image.startsWith('/') && existsSync(product.file))
    .slice(0, PRODUCTS)
    .map(({ title, price, file }) => ({
      title: truncate(title, SHOP_TITLE_CHARACTERS),
      price: formatKsh(price),
      picture: readFileSync(file),
    }))
}
