import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import sharp from 'sharp'
import { DRAWING_WIDTHS, WEBP_WIDTHS } from '#shared/catalogue/pictures.ts'

export const CACHE_FOLDER = path.resolve('node_modules/.cache/pamba-pictures')

type Raster = { width: number; format: 'avif' | 'webp' }

export const RASTER_FORMATS: readonly Raster[] = [
  ...DRAWING_WIDTHS.map((width) => ({ width, format: 'avif' as const })),
  ...WEBP_WIDTHS.map((width) => ({ width, format: 'webp' as const })),
]

const QUALITIES = [40, 30, 20]
const BYTES_BY_WIDTH: Record<number, number> = { 200: 8000, 320: 12_000, 640: 22_000, 800: 32_000 }
/** The encoders' effort. AVIF's default takes much longer and saves few bytes. */
const ENCODER_EFFORT = 1
const ENCODER_SETTINGS = JSON.stringify([QUALITIES, BYTES_BY_WIDTH, ENCODER_EFFORT, sharp.versions])

export function encodeRaster(drawing: Uint8Array, { width, format }: Raster, cacheFolder: string) {
  return withCache([ENCODER_SETTINGS, String(width), format, drawing], cacheFolder, async () => {
    const { data, info } = await sharp(drawing).resize(width).raw().toBuffer({ resolveWithObject: true })
    const { channels, height } = info
    let bytes = new Uint8Array()
    for (const quality of QUALITIES) {
      const image = sharp(data, { raw: { width, height, channels } })
      bytes = await image[format]({ quality, effort: ENCODER_EFFORT }).toBuffer()
      if (bytes.byteLength <= (BYTES_BY_WIDTH[width] ?? 0)) break
    }
    return bytes
  })
}

const SVG_DENSITY = 288

export function encodeSmallRaster(drawing: Uint8Array, width: number): Promise<Uint8Array> {
  return sharp(drawing, { density: SVG_DENSITY })
    .resize(width)
    .webp({ nearLossless: true, quality: 20, effort: 6 })
    .toBuffer()
}

export async function withCache(...recipe: Parameters<typeof getCachedFile>): Promise<Uint8Array> {
  return readFileSync(await getCachedFile(...recipe))
}

const inProgress = new Map<string, Promise<Uint8Array>>()

export async function getCachedFile(
  inputs: readonly (string | Uint8Array)[],
  cacheFolder: string,
  create: () => Promise<Uint8Array>,
  name = '',
): Promise<string> {
  const hash = createHash('sha256')
  for (const part of inputs) hash.update(part)
  const file = path.join(cacheFolder, hash.digest('hex'), name)
  if (existsSync(file)) return file
  const created = inProgress.get(file) ?? create()
  inProgress.set(file, created)
  const bytes = await created
  mkdirSync(path.dirname(file), { recursive: true })
  // The file is written under another name and then renamed, because two builds may run at the same time.
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, bytes)
  renameSync(unfinished, file)
  return file
}
