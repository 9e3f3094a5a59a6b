import sharp from 'sharp'
import { expect, it } from 'vitest'
import { listViolations } from '#test/support/axe.ts'
import { startOwnShop } from '#test/support/own-shop.ts'
import {
  DESKTOP_VIEWPORT,
  expectNoConsoleErrors,
  fetchAsPage,
  journeys,
  openShopper,
  PHONE_VIEWPORT,
} from '#test/support/shopper.ts'
import { newAccount, orderOneUnit } from '#test/support/signed-in-shopper.ts'

/** The EXIF orientation of a portrait photo that a phone stores sideways. */
const ROTATED = { orientation: 6 }
const noise = { create: { width: 1, height: 1, channels: 3, background: '#a6492b' } } as const

const picture = (width: number, height: number) => sharp({ create: { ...noise.create, width, height } })

const DRAFT_PRICE = '1234'

journeys('a product with a photo', () => {
  const served = startOwnShop()

  it('is published with its photo rotated and resized, then viewed and bought', async () => {
    const { officeUrl = '', url } = served()
    const visitor = await openShopper({ viewport: PHONE_VIEWPORT, origin: officeUrl })
    const { page } = visitor
    await page.goto(`${officeUrl}/catalogue/products/new`)
    const addFile = (name: string, mimeType: string, buffer: Buffer) =>
      page.getByLabel('Add photos').setInputFiles({ name, mimeType, buffer })
    const last = page.locator('[data-picture]').last()
    const readUpload = async () => {
      await last.getByText('Photo uploaded.').waitFor()
      const image = await last.locator('input[name^=image-]').inputValue()
      const stored = await Promise.all(
        ['320', '640', '1280', '640.jpg'].map(async (file) => {
          const response = await fetchAsPage(page, url + image.replace('640.jpg', file))
          const { format, width, height, exif } = await sharp(await response.body()).metadata()
          return { format, width, height, exif }
        }),
      )
      return { image, stored }
    }

    await addFile('notes.txt', 'text/plain', Buffer.from('No photo at all.'))
    await page.getByText('We can’t read this file.').waitFor()

    await page.evaluate(() => {
      const { toBlob } = HTMLCanvasElement.prototype
      HTMLCanvasElement.prototype.toBlob = (done) => {
        HTMLCanvasElement.prototype.toBlob = toBlob
        done(null)
      }
    })
    await addFile('unencodable.png', 'image/png', await picture(90, 90).png().toBuffer())
    await last.getByText('We couldn’t prepare this photo.').waitFor()
    await last.getByRole('button', { name: 'Remove photo' }).click()

    await addFile(
      'clear.png',
      'image/png',
      await sharp({ create: { ...noise.create, width: 900, height: 1125, channels: 4, background: '#0000' } })
        .png()
        .toBuffer(),
    )
    const clear = await readUpload()
    expect(clear.stored.map(({ width }) => width)).toEqual([320, 640, 900, 640])
    expect(clear.image).toMatch(/[def]{3}\/640\.jpg$/)
    const { dominant } = await sharp(await (await fetchAsPage(page, url + clear.image)).body()).stats()
    expect(dominant.r).toBeGreaterThan(200)

    await addFile(
      'large.jpg',
      'image/jpeg',
      await picture(6000, 4000).jpeg().withMetadata(ROTATED).toBuffer(),
    )
    const { image, stored } = await readUpload()
    const upright = (format: string, width: number) => ({
      format,
      width,
      height: width * 1.5,
      exif: undefined,
    })
    expect(stored).toEqual([
      upright('webp', 320),
      upright('webp', 640),
      upright('webp', 1280),
      upright('jpeg', 640),
    ])
    await expect
      .poll(() => last.locator('img').evaluate((img: HTMLImageElement) => img.naturalHeight))
      .toBe(960)

    const rows = page.locator('[data-picture]')
    await rows.first().getByRole('button', { name: 'Remove photo' }).click()
    await rows.nth(0).getByLabel('Photo description').fill('Clear as glass')
    await rows.nth(1).getByLabel('Photo description').fill('Turned upright')
    await rows.nth(1).getByRole('button', { name: 'Make main photo' }).click()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      PHONE_VIEWPORT.width,
    )

    await page.getByLabel('Name', { exact: true }).fill('Photographed dress')
    await page.getByLabel('Description', { exact: true }).fill('Seen as it is.')
    expect(await page.locator('output[data-cut="12"]').innerText()).toBe('Photographed…')
    await page.getByLabel('Price in KSH', { exact: true }).fill(DRAFT_PRICE)
    await page.getByLabel('Category', { exact: true }).selectOption('Toys')
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('Saved to the draft.').waitFor()
    await page.goto(`${officeUrl}/catalogue/preview`)
    await page.getByText(`KSH ${DRAFT_PRICE}`).waitFor()
    expect(await (await fetchAsPage(page, `${url}/products`)).text()).not.toContain(DRAFT_PRICE)
    await page.goto(`${officeUrl}/catalogue/publish`)
    await page.getByRole('button', { name: 'Publish changes' }).click()
    await page.getByText('Published.').waitFor()

    const isPublished = async () =>
      (await (await fetchAsPage(page, `${url}/products`)).text()).includes(`KSH ${DRAFT_PRICE}`)
    await expect.poll(isPublished, { timeout: 60_000, interval: 1000 }).toBe(true)
    const items = (await (await fetchAsPage(page, `${url}/Items.json`)).json()) as {
      id: number
      image: string
      images: object[]
    }[]
    expect(items[0]?.image).toBe(image)
    expect(items[0]?.images).toEqual([
      { image, alt: 'Turned upright' },
      { image: clear.image, alt: 'Clear as glass' },
    ])
    const id = items[0]?.id ?? 0
    for (const [viewport, file] of [
      [PHONE_VIEWPORT, '320'],
      [{ width: 768, height: 1024 }, '320'],
      [DESKTOP_VIEWPORT, '640'],
      [{ width: 1920, height: 1000 }, '640'],
    ] as const) {
      await page.setViewportSize(viewport)
      await page.goto(`${url}/product/${id}`)
      const photo = page.getByAltText('Turned upright')
      await expect.poll(() => photo.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0)
      const source = await photo.evaluate((img: HTMLImageElement) => img.currentSrc)
      expect(source.endsWith(`/${file}`), `${source} at ${viewport.width}`).toBe(true)
      const shownPx = await photo.evaluate((img) => img.clientWidth)
      expect(Number(file), `${shownPx} px at ${viewport.width}`).toBeGreaterThan(0.95 * shownPx)
      expect(await photo.evaluate((img) => getComputedStyle(img).backgroundColor)).toMatch(
        /^rgb\(170, 68, (34|51)\)$/,
      )
      if (viewport !== PHONE_VIEWPORT && viewport !== DESKTOP_VIEWPORT) continue
      expect(await listViolations(page)).toEqual([])
      const pictures = page.getByRole('region', { name: 'Pictures' })
      const second = () =>
        page.getByAltText('Clear as glass').evaluate((img) => {
          const { left, right } = img.getBoundingClientRect()
          const { left: from = 0, right: to = 0 } = img.closest('section')?.getBoundingClientRect() ?? {}
          return left >= from && right <= to + 1
        })
      expect(await second()).toBe(false)
      await pictures.focus()
      await page.keyboard.press('ArrowRight')
      await expect.poll(second).toBe(true)
    }
    expectNoConsoleErrors(visitor)
    const account = await newAccount('Amina Wanjiru', url)
    expect((await orderOneUnit(account, { id, origin: url })).status).toBe(201)
  })
})
