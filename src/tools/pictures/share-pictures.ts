import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import sharp from 'sharp'
import { colours } from '#shared/colours.ts'
import { cached } from './encoded-files.ts'

type ShopTexts = { name: string; tagline: string; city: string }

const PICTURE = { width: 1200, height: 630 }
/** The left half of the picture, which is empty in the background file. */
const TEXT = { left: 68, width: 420 }
const FONT = '@fontsource-variable/fraunces/files/fraunces-latin-wght-normal.woff2'

/** The picture that shows with a shared link, as PNG: name, tagline and city next to the illustration. */
export async function sharePicture({ name, tagline, city }: ShopTexts): Promise<Uint8Array> {
  const { draw, widthOf } = await startDrawing()
  const background = readFileSync(path.join(import.meta.dirname, 'share-background.png')).toString('base64')
  const [first, second] = twoLines(tagline)
  const size = {
    name: fittingSize(112, widthOf(name)),
    tagline: fittingSize(42, Math.max(...[first, second].map(widthOf))),
  }
  const picture = svg(
    `<image href="data:image/png;base64,${background}" width="${PICTURE.width}" height="${PICTURE.height}"/>`,
    textElement({ text: name, size: size.name, y: 309, fill: colours.clayDeep }),
    textElement({ text: first, size: size.tagline, y: 388 }),
    textElement({ text: second, size: size.tagline, y: 441 }),
    textElement({
      text: city.toUpperCase(),
      size: fittingSize(24, widthOf(city.toUpperCase())),
      y: 531,
      fill: colours.acacia,
    }),
  )
  return draw(picture)
}

/** A product's picture has the drawing (4:5) between two margins. */
const DRAWING = { width: 504, height: PICTURE.height }
const MARGIN = (PICTURE.width - DRAWING.width) / 2
/** Pixels between the drawing and the stitched line. */
const SEAM = 16
const MARGIN_TEXT_WIDTH = 220
const JPEG = { quality: 80 }

/**
 * A product's social sharing image, as JPEG: its drawing in the middle, because some chats crop the rest, and the
 * shop's name and city. Cached in `cacheFolder`.
 */
export async function productPicture(
  drawing: Uint8Array,
  { name, city }: Pick<ShopTexts, 'name' | 'city'>,
  cacheFolder: string,
): Promise<Uint8Array> {
  const recipe = JSON.stringify([name, city, JPEG, readFileSync(import.meta.filename, 'utf8')])
  return cached([recipe, drawing], cacheFolder, async () => {
    const input = await sharp(drawing).resize(DRAWING).png({ compressionLevel: 0 }).toBuffer()
    return sharp(await margins({ name, city }))
      .composite([{ input, left: MARGIN, top: 0 }])
      .jpeg(JPEG)
      .toBuffer()
  })
}

let lastMargins: { texts: string; png: Promise<Uint8Array> } | undefined

/** What all pictures of products have in common, as PNG. */
function margins(shop: Pick<ShopTexts, 'name' | 'city'>): Promise<Uint8Array> {
  const texts = JSON.stringify(shop)
  if (lastMargins?.texts !== texts) lastMargins = { texts, png: drawMargins(shop) }
  return lastMargins.png
}

async function drawMargins({ name, city }: Pick<ShopTexts, 'name' | 'city'>): Promise<Uint8Array> {
  const { draw, widthOf } = await startDrawing()
  const centred = (text: string, most: number, middle: number, fill: string) => {
    const size = fittingSize(most, widthOf(text), MARGIN_TEXT_WIDTH)
    const left = middle - (widthOf(text) * size) / 200
    return textElement({ text, size, left, y: PICTURE.height / 2 + size / 3, fill })
  }
  const stitches = (x: number) =>
    `<path d="M${x} 0V${PICTURE.height}" stroke="${colours.clay}" stroke-width="3" stroke-dasharray="14 10" fill="none"/>`
  return draw(
    svg(
      `<rect width="${PICTURE.width}" height="${PICTURE.height}" fill="${colours.cotton}"/>`,
      centred(name, 72, (MARGIN - SEAM) / 2, colours.clayDeep),
      centred(city.toUpperCase(), 30, PICTURE.width - (MARGIN - SEAM) / 2, colours.acacia),
      stitches(MARGIN - SEAM),
      stitches(PICTURE.width - MARGIN + SEAM),
    ),
  )
}

/** Draws SVG without transparent parts as PNG, with the shop's typeface for its texts; measures texts at a size of 100. */
export async function startDrawing() {
  const { resolve } = createRequire(import.meta.url)
  resvgReady ??= startResvg(resolve('@resvg/resvg-wasm/index_bg.wasm'))
  await resvgReady
  const font = { fontBuffers: [new Uint8Array(readFileSync(resolve(FONT)))] }
  return {
    draw(picture: string): Promise<Uint8Array> {
      const { pixels, width, height } = new Resvg(picture, { font }).render()
      return sharp(pixels, { raw: { width, height, channels: 4 } })
        .removeAlpha()
        .png()
        .toBuffer()
    },
    widthOf: (text: string) =>
      new Resvg(svg(textElement({ text, size: 100 })), { font }).getBBox()?.width ?? 0,
  }
}

let resvgReady: Promise<void> | undefined

/** Vite reloads this file at each restart, but the library can start only once. */
async function startResvg(wasmFile: string): Promise<void> {
  try {
    await initWasm(readFileSync(wasmFile))
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('Already initialized'))) throw error
  }
}

/** The largest font size up to `most` at which a text fits, by its width at a size of 100. */
function fittingSize(most: number, widthAt100: number, width = TEXT.width): number {
  return Math.min(most, (width / widthAt100) * 100)
}

function twoLines(text: string): [string, string] {
  const spaces = [...text.matchAll(/ /g)].map(({ index }) => index)
  const distance = (index: number) => Math.abs(index - text.length / 2)
  const [at = text.length] = spaces.toSorted((a, b) => distance(a) - distance(b))
  return [text.slice(0, at), text.slice(at + 1)]
}

type Text = { text: string; size: number; left?: number; y?: number; fill?: string }

export function textElement({ text, size, left = TEXT.left, y = size, fill = colours.ink }: Text): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${left}" y="${y}" font-size="${size}" fill="${fill}">${escaped}</text>`
}

function svg(...elements: string[]): string {
  const { width, height } = PICTURE
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${elements.join('')}</svg>`
}
