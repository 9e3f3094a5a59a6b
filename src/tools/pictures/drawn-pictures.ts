import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import sharp, { type OverlayOptions } from 'sharp'
import { escapeHtml } from '#server/platform/escape-html.ts'
import { parseCatalogueEntries } from '#shared/catalogue/catalogue-schema.ts'
import { colours } from '#shared/colours.ts'
import { formatKsh, SHOP_TITLE_CHARACTERS, truncate } from '#shared/format.ts'
import { subsetFile } from '../vite/subset-fonts.ts'
import { cached } from './encoded-files.ts'

type ShopTexts = { name: string; tagline: string; city: string }
/** Without `size`, the text is as large as fits. */
type Box = { left: number; top: number; width: number; height: number; size?: number }

const SHARE = { width: 1200, height: 630 }
const JPEG = { quality: 80, mozjpeg: true }

let fontFile: Promise<string> | undefined

/** The shop's typeface as TrueType, because sharp reads no WOFF2. */
function trueTypeFile(): Promise<string> {
  fontFile ??= subsetFile('fraunces', 'U+20-24F, U+2013, U+2019, U+2026', 'truetype', 400)
  return fontFile
}

async function drawText(text: string, fill: string, box: Box, isCentred = false): Promise<OverlayOptions> {
  const { left, top, width, height, size } = box
  const { data, info } = await sharp({
    text: {
      ...{ text: `<span foreground="${fill}">${escapeHtml(text)}</span>`, rgba: true, width },
      ...{
        font: `Fraunces ${size ?? ''}`,
        fontfile: await trueTypeFile(),
        align: isCentred ? 'centre' : 'left',
      },
      ...(size ? { dpi: 72 } : { height }),
    },
  })
    .png()
    .toBuffer({ resolveWithObject: true })
  const indent = isCentred ? (width - info.width) / 2 : 0
  return { input: data, left: Math.round(left + indent), top: Math.round(top + (height - info.height) / 2) }
}

/** A cotton background with stitched lines along SVG paths. */
function background({ width, height }: { width: number; height: number }, stitches: readonly string[]) {
  const paths = stitches.map(
    (line) => `<path d="${line}" stroke="${colours.clay}" stroke-width="3" stroke-dasharray="14 10"/>`,
  )
  const ground = `<rect width="${width}" height="${height}" fill="${colours.cotton}"/>`
  return sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${ground}${paths.join('')}</svg>`,
    ),
  )
}

/** The picture that shows with a shared link, as PNG: name, tagline and city next to the illustration. */
export async function sharePicture({ name, tagline, city }: ShopTexts): Promise<Uint8Array> {
  const column = { left: 68, width: 420 }
  const texts = [
    drawText(name, colours.clayDeep, { ...column, top: 190, height: 120 }),
    drawText(tagline, colours.ink, { ...column, top: 350, height: 100 }),
    drawText(city.toUpperCase(), colours.acacia, { ...column, top: 510, height: 18 }),
  ]
  return sharp(path.join(import.meta.dirname, 'share-background.png'))
    .composite(await Promise.all(texts))
    .removeAlpha()
    .png()
    .toBuffer()
}

/** The drawing of a shared product (4:5). */
const DRAWING = { width: 504, height: SHARE.height }
const MARGIN = (SHARE.width - DRAWING.width) / 2
/** Pixels between the drawing and the stitched line. */
const STITCH_MARGIN = 16

/**
 * A product's social sharing image, as JPEG: its drawing in the middle, because some chats crop the rest, and the
 * shop's name and city. Cached in `cacheFolder`.
 */
export async function productPicture(
  drawing: Uint8Array,
  { name, city }: Pick<ShopTexts, 'name' | 'city'>,
  cacheFolder: string,
): Promise<Uint8Array> {
  const cacheInputs = JSON.stringify([name, city, readFileSync(import.meta.filename, 'utf8')])
  return cached([cacheInputs, drawing], cacheFolder, async () => {
    const margins = await cached([cacheInputs], cacheFolder, () => drawMargins(name, city))
    const input = await sharp(drawing).resize(DRAWING).png({ compressionLevel: 0 }).toBuffer()
    return sharp(margins)
      .composite([{ input, left: MARGIN, top: 0 }])
      .jpeg(JPEG)
      .toBuffer()
  })
}

/** The parts that the pictures of all products share. */
async function drawMargins(name: string, city: string): Promise<Uint8Array> {
  const [left, right] = [MARGIN - STITCH_MARGIN, SHARE.width - MARGIN + STITCH_MARGIN]
  const box = { width: 220, height: 72, top: (SHARE.height - 72) / 2 }
  const texts = [
    drawText(name, colours.clayDeep, { ...box, left: (left - box.width) / 2 }, true),
    drawText(
      city.toUpperCase(),
      colours.acacia,
      { ...box, height: 24, top: (SHARE.height - 24) / 2, left: right + (left - box.width) / 2 },
      true,
    ),
  ]
  return background(SHARE, [`M${left} 0V630`, `M${right} 0V630`])
    .composite(await Promise.all(texts))
    .png()
    .toBuffer()
}

/** A picture of the Shop on one kind of screen, which browsers show before the app is installed. */
export const SCREENSHOTS = [
  { file: 'images/screenshot-narrow.jpg', formFactor: 'narrow', width: 720, height: 1280, columns: 2 },
  { file: 'images/screenshot-wide.jpg', formFactor: 'wide', width: 1280, height: 720, columns: 4 },
]
const PRODUCTS = 4
const GAP = 40
const BAR_HEIGHT = 96
const GRID_TOP = 206
/** Below a product's picture, for its title and its price. */
const TEXTS_HEIGHT = 115

/** The Shop's first products as a screen of that size shows them, as JPEG; `publicFolder` has the catalogue. */
export async function screenshot(
  { width, height, columns }: (typeof SCREENSHOTS)[number],
  shopName: string,
  publicFolder: string,
): Promise<Uint8Array> {
  const card = Math.floor((width - (columns + 1) * GAP) / columns)
  const picture = { width: card, height: Math.floor((card * 5) / 4) }
  const layers = firstProducts(publicFolder).flatMap(({ title, price, file }, index) => {
    const left = GAP + (index % columns) * (card + GAP)
    const top = GRID_TOP + Math.floor(index / columns) * (picture.height + TEXTS_HEIGHT)
    const text = { left, width: card, height: 26, size: 26 }
    const drawing = sharp(file)
      .resize({ ...picture, fit: 'cover' })
      .png()
      .toBuffer()
    return [
      drawing.then((input) => ({ input, left, top })),
      drawText(title, colours.ink, { ...text, top: top + picture.height + 16 }),
      drawText(price, colours.acacia, { ...text, size: 24, top: top + picture.height + 56 }),
    ]
  })
  const heading = { left: GAP, width: width - 2 * GAP }
  const all = [
    drawText(shopName, colours.clayDeep, { ...heading, top: 28, height: 40, size: 44 }),
    drawText('Shop our collection', colours.ink, { ...heading, top: 132, height: 44, size: 48 }),
    ...layers,
  ]
  return background({ width, height }, [`M0 ${BAR_HEIGHT}H${width}`])
    .composite(await Promise.all(all))
    .jpeg(JPEG)
    .toBuffer()
}

/** The first products whose pictures are files of the shop's own. */
function firstProducts(publicFolder: string) {
  const entries: unknown = JSON.parse(readFileSync(path.join(publicFolder, 'Items.json'), 'utf8'))
  return parseCatalogueEntries(entries)
    .map(({ title, price, image }) => ({
      title: truncate(title, SHOP_TITLE_CHARACTERS),
      price: formatKsh(price),
      file: image.startsWith('/') ? path.join(publicFolder, image) : '',
    }))
    .filter(({ file }) => existsSync(file))
    .slice(0, PRODUCTS)
}
