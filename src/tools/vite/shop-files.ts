import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import type { Plugin } from 'vite'
import type { shop } from '../../shared/shop.ts'

/** What the files say of the shop. */
type ShopTexts = Record<keyof Pick<typeof shop, 'name' | 'city' | 'tagline' | 'description'>, string>

/** `--cotton` of src/client/styles/tokens.css. */
const BACKGROUND = '#faf5ea'
const PICTURE = { width: 1200, height: 630 }
/** The left half of the picture, which is empty in the background file. */
const TEXT = { left: 68, width: 420 }
const FONT = '@fontsource-variable/fraunces/files/fraunces-latin-wght-normal.woff2'

/** The files that name the shop, made from src/shared/shop.ts: by the build, and on each request while developing. */
export function shopFiles(): Plugin {
  let root = process.cwd()
  const shopNow = async (): Promise<ShopTexts> => {
    const file = path.join(root, 'src/shared/shop.ts')
    const fresh = `${pathToFileURL(file)}?${statSync(file).mtimeMs}`
    return ((await import(fresh)) as { shop: ShopTexts }).shop
  }
  const files = [
    {
      name: 'manifest.webmanifest',
      type: 'application/manifest+json',
      content: async () => manifest(await shopNow()),
    },
    { name: 'images/share.png', type: 'image/png', content: async () => sharePicture(await shopNow()) },
  ]

  return {
    name: 'pamba:shop-files',
    applyToEnvironment: ({ name }) => name === 'client',
    configResolved(config) {
      root = config.root
    },
    async generateBundle() {
      for (const { name, content } of files)
        this.emitFile({ type: 'asset', fileName: name, source: await content() })
    },
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const file = files.find(({ name }) => request.url === `/${name}`)
        if (!file) return next()
        response.setHeader('Content-Type', file.type)
        file.content().then((content) => response.end(content), next)
      })
    },
  }
}

/** The web app manifest, as JSON. */
export function manifest({ name, description }: Pick<ShopTexts, 'name' | 'description'>): string {
  const png = (file: string, sizes: string) => ({ src: `/icons/${file}.png`, type: 'image/png', sizes })
  const content = {
    name,
    short_name: name,
    description,
    lang: 'en',
    start_url: '/',
    scope: '/',
    display: 'minimal-ui',
    background_color: BACKGROUND,
    theme_color: BACKGROUND,
    categories: ['shopping', 'kids'],
    icons: [
      { src: '/favicon.svg', type: 'image/svg+xml', sizes: 'any' },
      png('icon-192', '192x192'),
      png('icon-512', '512x512'),
      { ...png('icon-maskable-512', '512x512'), purpose: 'maskable' },
    ],
  }
  return `${JSON.stringify(content, null, 2)}\n`
}

/** The picture that shows with a shared link, as PNG: name, tagline and city beside the illustration. */
export async function sharePicture({
  name,
  tagline,
  city,
}: Omit<ShopTexts, 'description'>): Promise<Uint8Array> {
  const { resolve } = createRequire(import.meta.url)
  resvgReady ??= startResvg(resolve('@resvg/resvg-wasm/index_bg.wasm'))
  await resvgReady
  const font = { fontBuffers: [new Uint8Array(readFileSync(resolve(FONT)))] }
  const widthOf = (text: string) =>
    new Resvg(svg(textElement({ text, size: 100 })), { font }).getBBox()?.width ?? 0
  const background = readFileSync(path.join(import.meta.dirname, 'share-background.png')).toString('base64')
  const [first, second] = twoLines(tagline)
  const size = {
    name: fittingSize(112, widthOf(name)),
    tagline: fittingSize(42, Math.max(...[first, second].map(widthOf))),
  }
  const picture = svg(
    `<image href="data:image/png;base64,${background}" width="${PICTURE.width}" height="${PICTURE.height}"/>`,
    textElement({ text: name, size: size.name, y: 309, fill: '#7d2f1b' }),
    textElement({ text: first, size: size.tagline, y: 388 }),
    textElement({ text: second, size: size.tagline, y: 441 }),
    textElement({
      text: city.toUpperCase(),
      size: fittingSize(24, widthOf(city.toUpperCase())),
      y: 531,
      fill: '#2f5d3a',
    }),
  )
  return new Resvg(picture, { font }).render().asPng()
}

let resvgReady: Promise<void> | undefined

/** Vite reads this file anew at each restart, while the library, which starts only once, stays. */
async function startResvg(wasmFile: string): Promise<void> {
  try {
    await initWasm(readFileSync(wasmFile))
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('Already initialized'))) throw error
  }
}

/** The largest font size up to `most` at which a text fits, by its width at a size of 100. */
function fittingSize(most: number, widthAt100: number): number {
  return Math.min(most, (TEXT.width / widthAt100) * 100)
}

/** A text broken at the space nearest to its middle. */
function twoLines(text: string): [string, string] {
  const spaces = [...text.matchAll(/ /g)].map(({ index }) => index)
  const distance = (index: number) => Math.abs(index - text.length / 2)
  const [at = text.length] = spaces.toSorted((a, b) => distance(a) - distance(b))
  return [text.slice(0, at), text.slice(at + 1)]
}

type Text = { text: string; size: number; y?: number; fill?: string }

function textElement({ text, size, y = size, fill = '#221d17' }: Text): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${TEXT.left}" y="${y}" font-size="${size}" fill="${fill}">${escaped}</text>`
}

function svg(...elements: string[]): string {
  const { width, height } = PICTURE
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${elements.join('')}</svg>`
}
