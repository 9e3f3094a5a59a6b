import { expect, it } from 'vitest'
import { shop } from '#shared/shop.ts'
import { manifest, sharePicture } from './shop-files.ts'

it('the manifest has the name and the description of the shop', () => {
  expect(JSON.parse(manifest({ ...shop, name: 'Kanga & "Sons"' }))).toMatchObject({
    name: 'Kanga & "Sons"',
    short_name: 'Kanga & "Sons"',
    description: shop.description,
  })
})

it('the share picture is a PNG of 1200 × 630 and differs by the name of the shop, however long', async () => {
  const [picture, other] = await Promise.all([
    sharePicture(shop),
    sharePicture({ ...shop, name: 'The Kanga & Kikoi <House> of Mombasa' }),
  ])
  for (const png of [picture, other]) {
    const view = new DataView(png.buffer, png.byteOffset)
    expect([view.getUint32(16), view.getUint32(20)]).toEqual([1200, 630])
  }
  expect(other).not.toEqual(picture)
})
