import { createHash } from 'node:crypto'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import sharp from 'sharp'
import { launchChromium } from '../chromium.ts'
import { prepareDatabase, type ServedShop, serve } from '../local-shop.ts'
import { freePort } from '../ports.ts'
import { twoVisits } from './browser-rows.ts'
import { startFront } from './https-front.ts'
import type { Report } from './report.ts'

const BYTES_PER_KB = 1000
const PRODUCTS = 20
const FIRST_ID = 1001
/** In how many pages they are uploaded at once. */
const PAGES = 3
const REQUESTS_PER_SECOND = 200
/** How long the earlier version must not have been seen for the publish to be over, and when it counts as failed. */
const QUIET_MS = 3000
const DEADLINE_MS = 70_000
const REST_MS = 5

type PhotoOptions = { root: string; workFolder: string }

/** S10 and S16 on the built shop with 20 products, whose photos and prices the office has published. */
export async function photoRows({ root, workFolder }: PhotoOptions, report: Report): Promise<void> {
  const stateFolder = path.join(workFolder, 'photos-state')
  await prepareDatabase(stateFolder)
  const ports = { port: await freePort(), officePort: await freePort() }
  const shop = await serve({ ...ports, stateFolder, onLog: () => {} })
  const clientFolder = path.join(root, 'dist/client')
  const front = await startFront({ workerUrl: shop.url, clientFolder, workFolder })
  const browser = await launchChromium({ args: [front.chromiumArgument] })
  try {
    report.step(`Uploading ${PRODUCTS} photos in the office`)
    const images = await uploadPhotos(browser, shop)
    await photoSizes(shop, images, report)
    const [first, second] = [11, 12]
    await publish(shop, first, images)
    while (versionsIn(await textAt(`${shop.url}/products`))[0] !== String(first)) await pause(500)
    const size = (what: string, bytes: number, atMost: number) =>
      report.row({ id: 'S10', what, value: bytes / BYTES_PER_KB, unit: 'KB', budget: { atMost } })
    const phone = { deviceScaleFactor: 2 }
    const visit = await twoVisits(browser, front, phone)
    size(`with ${PRODUCTS} photos, Home, Shop, a product on the wire`, visit.first, 350)
    size(`with ${PRODUCTS} photos, the same again within a day`, visit.second, 40)
    const saving = await twoVisits(browser, front, { ...phone, savesData: true })
    size(`with ${PRODUCTS} photos, the first visit with Save-Data`, saving.first, 200)
    report.step(`Publishing under ${REQUESTS_PER_SECOND} requests a second`)
    publishRows(await publishUnderLoad(shop, () => publish(shop, second, images), second), report)
  } finally {
    await browser.close()
    await front.close()
    await shop.close()
  }
}

/** The width and height that a made photo begins with; each octave of detail doubles them. */
const COARSEST = { width: 20, height: 25 }
const FINEST_WIDTH = 1280
/** Gives about one bit a pixel at 640 pixels and WebP's quality 80, as photos of patterned clothes have. */
const CONTRAST = 18

/** A picture that compresses like a photo: as in photographs, each octave of detail has as much contrast as the next. */
async function madePhoto(seed: number): Promise<Buffer> {
  const random = randomFrom(seed)
  let { width, height } = COARSEST
  let grey: Uint8Array = new Uint8Array(width * height).fill(100 + random() * 60)
  for (;;) {
    grey = grey.map((light) => Math.min(255, Math.max(0, light + (random() - 0.5) * CONTRAST)))
    if (width >= FINEST_WIDTH) break
    const coarse = sharp(grey, { raw: { width, height, channels: 1 } })
    ;[width, height] = [width * 2, height * 2]
    grey = await coarse.resize(width, height, { kernel: 'cubic' }).extractChannel(0).raw().toBuffer()
  }
  const tint = { r: 255, g: 200 + random() * 55, b: 160 + random() * 60 }
  return sharp(grey, { raw: { width, height, channels: 1 } })
    .tint(tint)
    .jpeg({ quality: 92 })
    .toBuffer()
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Has the office's page scale, encode and send the photos, as an operator does; returns their addresses. */
async function uploadPhotos(browser: Browser, { officeUrl }: ServedShop): Promise<string[]> {
  const seeds = Array.from({ length: PRODUCTS }, (_, index) => index + 1)
  const upload = async () => {
    const page = await browser.newPage()
    await page.goto(`${officeUrl}/catalogue/products/new`)
    const images: string[] = []
    for (let seed = seeds.shift(); seed; seed = seeds.shift()) {
      const buffer = await madePhoto(seed)
      const sent = page.waitForResponse((response) => response.url().endsWith('/catalogue/photos'))
      await page.locator('input[type=file]').setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer })
      const { image } = (await (await sent).json()) as { image: string }
      images.push(image)
    }
    await page.close()
    return images
  }
  return (await Promise.all(Array.from({ length: PAGES }, upload))).flat()
}

/** The mean size of the photos in each width. */
async function photoSizes({ url }: ServedShop, images: readonly string[], { row }: Report): Promise<void> {
  for (const file of ['320', '640', '1280', '640.jpg']) {
    const sizes = await Promise.all(
      images.map(async (image) => {
        const response = await fetch(url + image.replace('640.jpg', file))
        return (await response.bytes()).byteLength
      }),
    )
    const mean = sizes.reduce((total, bytes) => total + bytes, 0) / sizes.length
    row({ id: '', what: `a photo's file ${file}, mean`, value: mean / BYTES_PER_KB, unit: 'KB' })
  }
}

/** Imports a catalogue whose every title and price names its version, and publishes it. */
async function publish({ officeUrl }: ServedShop, version: number, images: readonly string[]): Promise<void> {
  const items = images.map((image, index) => ({
    ...{ id: FIRST_ID + index, title: `V${version} dress of woven cotton`, price: version * 1000 + index },
    ...{ image, category: 'Clothing', rating: { rate: 4.5 } },
    description: `Made for version ${version}: ${'soft cotton, cut wide and sewn by hand. '.repeat(4)}`,
  }))
  const post = async (address: string, body: FormData | URLSearchParams) => {
    const headers = { Origin: officeUrl ?? '' }
    const answer = await fetch(officeUrl + address, { method: 'POST', body, headers, redirect: 'manual' })
    await answer.bytes()
    if (answer.status !== 303) throw new Error(`The office answered ${answer.status}: ${address}`)
  }
  const form = new FormData()
  form.set('file', new File([JSON.stringify(items)], 'Items.json', { type: 'application/json' }))
  await post('/catalogue/import', form)
  const page = await textAt(`${officeUrl}/catalogue/publish`)
  const value = (name: string) => new RegExp(`name="${name}" value="(\\d+)"`).exec(page)?.[1] ?? ''
  await post('/catalogue/publish', new URLSearchParams({ base: value('base'), revision: value('revision') }))
}

type Publish = { requests: number; seconds: number; failed: number; mixed: number; sightSeconds: number }

const PATHS = [
  ...['/products', '/products?category=Clothing', '/Items.json', '/feed.xml'],
  ...Array.from({ length: PRODUCTS }, (_, index) => `/product/${FIRST_ID + index}`),
]

/** Sends requests all the while that a version is published, until the one before has not been seen for a while. */
async function publishUnderLoad(
  { url }: ServedShop,
  publishNext: () => Promise<void>,
  version: number,
): Promise<Publish> {
  const result = { requests: 0, failed: 0, mixed: 0 }
  const startMs = performance.now()
  let lastEarlierMs = startMs
  const ask = async (address: string) => {
    const askedMs = performance.now()
    try {
      const response = await fetch(url + address)
      const text = await response.text()
      const [seen, ...others] = versionsIn(text)
      const tag = `"${createHash('sha256').update(text).digest('hex')}"`
      const isTagRight = !address.includes('.') || response.headers.get('ETag') === tag
      if (response.status !== 200 || !seen) result.failed++
      else if (others.length > 0 || !isTagRight) result.mixed++
      if (seen !== String(version)) lastEarlierMs = Math.max(lastEarlierMs, askedMs)
    } catch {
      result.failed++
    }
  }
  let publishedMs: number | undefined
  const publishing = async () => {
    await pause(QUIET_MS)
    await publishNext()
    publishedMs = performance.now()
  }
  const asking = async () => {
    const pending = new Set<Promise<void>>()
    const isOver = (nowMs: number) => publishedMs !== undefined && nowMs - lastEarlierMs > QUIET_MS
    for (let nowMs = startMs; !isOver(nowMs) && nowMs - startMs < DEADLINE_MS; nowMs = performance.now()) {
      while (result.requests < ((nowMs - startMs) / 1000) * REQUESTS_PER_SECOND) {
        const asked = ask(PATHS[result.requests++ % PATHS.length] ?? '/')
        pending.add(asked)
        void asked.finally(() => pending.delete(asked))
      }
      await pause(REST_MS)
    }
    await Promise.all(pending)
  }
  await Promise.all([publishing(), asking()])
  const seconds = (performance.now() - startMs) / 1000
  return { ...result, seconds, sightSeconds: Math.max(0, lastEarlierMs - (publishedMs ?? startMs)) / 1000 }
}

function publishRows({ requests, seconds, failed, mixed, sightSeconds }: Publish, { row }: Report): void {
  row({ id: '', what: 'requests a second during a publish', value: requests / seconds })
  row({ id: 'S16', what: `errors in ${requests} requests around it`, value: failed, budget: { atMost: 0 } })
  row({ id: 'S16', what: 'pages of two versions in them', value: mixed, budget: { atMost: 0 } })
  row({
    ...{ id: 'S16', what: 'from publishing to its sight by shoppers', value: sightSeconds, unit: 's' },
    budget: { atMost: 60 },
  })
}

/** The versions that titles and prices of a page name, wherever they are: markup, data block, JSON-LD. */
function versionsIn(text: string): string[] {
  const found = text.matchAll(/V(\d+) dress|(?:KSH |"price":"?|<g:price>)(\d\d)\d{3}\b/g)
  return [...new Set(Array.from(found, ([, title, price]) => title ?? price ?? ''))]
}

async function textAt(address: string): Promise<string> {
  return (await fetch(address)).text()
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
