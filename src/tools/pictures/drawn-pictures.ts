import { readFileSync } from 'node:fs'
import path from 'node:path'
import sharp, { type OverlayOptions } from 'sharp'
import { escapeHtml } from '#server/platform/escape-html.ts'
import { colours } from '#shared/colours.ts'
import { subsetFile } from '../vite/subset-fonts.ts'
import { withCache } from './encoded-files.ts'

export type ShopIdentity = Record<'name' | 'city' | 'tagline' | 'description', string>
type Box = { left: number; top: number; width: number; height: number }

const SHARE_PICTURE_SIZE = { width: 1200, height: 630 }
const JPEG_OPTIONS = { quality: 80, mozjpeg: true }

/** Returns the path of the shop's typeface as TrueType, because sharp doesn't read WOFF2. */
const getTrueTypeFile = () => subsetFile('fraunces', 'U+20-24F, U+2013, U+2019, U+2026', 'truetype', 400)

async function drawText(text: string, fill: string, box: Box, isCentred = false): Promise<OverlayOptions> {
  const { left, top, width, height } = box
  const options = { text: `<span foreground="${fill}">${escapeHtml(text)}</span>`, rgba: true, width, height }
  const font = { font: 'Fraunces', fontfile: await getTrueTypeFile() }
  const align = isCentred ? 'centre' : 'left'
  const { data, info } = await sharp({ text: { ...options, ...font, align } })
    .png()
    .toBuffer({ resolveWithObject: true })
  const indent = isCentred ? (width - info.width) / 2 : 0
  return { input: data, left: Math.round(left + indent), top: Math.round(top + (height - info.height) / 2) }
}

export async function drawSharePicture({
  name,
  tagline,
  city,
}: Omit<ShopIdentity, 'description'>): Promise<Uint8Array> {
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

const DRAWING_SIZE = { width: 504, height: SHARE_PICTURE_SIZE.height }
const MARGIN_PX = (SHARE_PICTURE_SIZE.width - DRAWING_SIZE.width) / 2
const STITCH_MARGIN_PX = 16

/** Some chats crop the sides, which have the shop's name and city. */
export function drawProductPicture(
  svg: Uint8Array,
  texts: Pick<ShopIdentity, 'name' | 'city'>,
  cacheFolder: string,
) {
  const { name, city } = texts
  const cacheInputs = JSON.stringify([name, city, readFileSync(import.meta.filename, 'utf8')])
  return withCache([cacheInputs, svg], cacheFolder, async () => {
    const margins = await withCache([cacheInputs], cacheFolder, () => drawMargins(name, city))
    const input = await sharp(svg).resize(DRAWING_SIZE).png({ compressionLevel: 0 }).toBuffer()
    return sharp(margins)
      .composite([{ input, left: MARGIN_PX, top: 0 }])
      .jpeg(JPEG_OPTIONS)
      .toBuffer()
  })
}

async function drawMargins(name: string, city: string): Promise<Uint8Array> {
  const [left, right] = [
    MARGIN_PX - STITCH_MARGIN_PX,
    SHARE_PICTURE_SIZE.width - MARGIN_PX + STITCH_MARGIN_PX,
  ]
  const box = { width: 220, height: 72, top: (SHARE_PICTURE_SIZE.height - 72) / 2 }
  const texts = [
    drawText(name, colours.clayDeep, { ...box, left: (left - box.width) / 2 }, true),
    drawText(
      city.toUpperCase(),
      colours.acacia,
      { ...box, height: 24, top: (SHARE_PICTURE_SIZE.height - 24) / 2, left: right + (left - box.width) / 2 },
      true,
    ),
  ]
  const drawStitch = (x: number) =>
    `<path d="M${x} 0V630" stroke="${colours.clay}" stroke-width="3" stroke-dasharray="14 10"/>`
  const ground = `<rect width="1200" height="630" fill="${colours.cotton}"/>${drawStitch(left)}${drawStitch(right)}`
  return sharp(
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630">${ground}</svg>`),
  )
    .composite(await Promise.all(texts))
    .png()
    .toBuffer()
}
