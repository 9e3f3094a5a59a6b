import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { expect, it, onTestFinished } from 'vitest'
import { shop, shopProfile } from '#shared/shop.ts'
import { drawProductPicture, drawSharePicture } from './drawn-pictures.ts'
import { encodeRaster, RASTER_FORMATS } from './encoded-files.ts'
import { createManifest } from './generated-files.ts'

it('the manifest has the name and the description of the shop', () => {
  expect(
    JSON.parse(createManifest({ name: 'Kanga & "Sons"', description: shopProfile.description })),
  ).toMatchObject({
    name: 'Kanga & "Sons"',
    short_name: 'Kanga & "Sons"',
    description: shopProfile.description,
  })
})

it('the share picture is 1200 × 630 for a short and a long name of the shop', async () => {
  const [picture, other] = await Promise.all([
    drawSharePicture(shop),
    drawSharePicture({ ...shop, name: 'The Kanga & Kikoi <House> of Mombasa' }),
  ])
  for (const png of [picture, other]) {
    const view = new DataView(png.buffer, png.byteOffset)
    expect([view.getUint32(16), view.getUint32(20)]).toEqual([1200, 630])
  }
  expect(other).not.toEqual(picture)
})

it('the share picture of a product is a JPEG of 1200 × 630 and at most 80 KB, drawn once for each drawing and name', async () => {
  const cacheFolder = mkdtempSync(path.join(tmpdir(), 'pamba-pictures-'))
  onTestFinished(() => rmSync(cacheFolder, { recursive: true }))
  const [first = '', second = ''] = readdirSync('public/images/products')
  const pictureOf = (file: string, texts: Parameters<typeof drawProductPicture>[1] = shop) =>
    drawProductPicture(readFileSync(path.join('public/images/products', file)), texts, cacheFolder)

  const picture = await pictureOf(first)
  expect(await sharp(picture).metadata()).toMatchObject({ format: 'jpeg', width: 1200, height: 630 })
  expect(picture.byteLength).toBeLessThan(80_000)
  expect(await pictureOf(second)).not.toEqual(picture)
  expect(await pictureOf(first, { ...shop, name: 'Kanga & Kikoi' })).not.toEqual(picture)
  expect(readdirSync(cacheFolder)).toHaveLength(5)
  expect(await pictureOf(first)).toEqual(picture)
  expect(readdirSync(cacheFolder)).toHaveLength(5)
})

it('a drawing is encoded once in each width and format, in at most 12 KB for a card', async () => {
  const cacheFolder = mkdtempSync(path.join(tmpdir(), 'pamba-pictures-'))
  onTestFinished(() => rmSync(cacheFolder, { recursive: true }))
  const drawing = readFileSync('public/images/products/kikoi-wrap-dress.svg')
  for (const raster of RASTER_FORMATS) {
    const file = await encodeRaster(drawing, raster, cacheFolder)
    const { format, compression, width } = await sharp(file).metadata()
    expect({ format: compression === 'av1' ? 'avif' : format, width }).toEqual({
      format: raster.format,
      width: raster.width,
    })
    if (raster.width <= 320) expect(file.byteLength).toBeLessThan(12_000)
  }
  const files = readdirSync(cacheFolder)
  expect(files).toHaveLength(RASTER_FORMATS.length)
  for (const raster of RASTER_FORMATS) await encodeRaster(drawing, raster, cacheFolder)
  expect(readdirSync(cacheFolder)).toEqual(files)
})
