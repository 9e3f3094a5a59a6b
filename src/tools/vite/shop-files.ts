import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'
import { shareAddress } from '#shared/catalogue/catalogue-views.ts'
import type { shop } from '../../shared/shop.ts'
import { SCREENSHOTS, screenshot } from './screenshots.ts'
import { productPicture, sharePicture } from './share-pictures.ts'

/** What the files say of the shop. */
type ShopTexts = Record<keyof Pick<typeof shop, 'name' | 'city' | 'tagline' | 'description'>, string>

/** `--cotton` of src/client/styles/tokens.css. */
const BACKGROUND = '#faf5ea'

/**
 * The files that name the shop, made from src/shared/shop.ts: the manifest with its screenshots, and the pictures that show
 * with shared links, of the shop and of every product that is drawn. Made by the build, and on each request while developing.
 */
export function shopFiles(): Plugin {
  let root = process.cwd()
  let publicFolder = 'public'
  let cacheFolder = 'node_modules/.vite'
  const shopNow = async (): Promise<ShopTexts> => {
    const file = path.join(root, 'src/shared/shop.ts')
    const fresh = `${pathToFileURL(file)}?${statSync(file).mtimeMs}`
    return ((await import(fresh)) as { shop: ShopTexts }).shop
  }
  const drawings = () =>
    readdirSync(path.join(publicFolder, 'images/products')).map((file) => `images/products/${file}`)
  const filesNow = () => [
    ...drawings().flatMap((drawing) => {
      const name = shareAddress(drawing)
      const content = async () =>
        productPicture(readFileSync(path.join(publicFolder, drawing)), await shopNow(), cacheFolder)
      return name ? [{ name, type: 'image/jpeg', content }] : []
    }),
    {
      name: 'manifest.webmanifest',
      type: 'application/manifest+json',
      content: async () => manifest(await shopNow()),
    },
    ...SCREENSHOTS.map((form) => ({
      name: form.file,
      type: 'image/jpeg',
      content: async () => screenshot(form, (await shopNow()).name, publicFolder),
    })),
    { name: 'images/share.png', type: 'image/png', content: async () => sharePicture(await shopNow()) },
  ]

  return {
    name: 'pamba:shop-files',
    applyToEnvironment: ({ name }) => name === 'client',
    configResolved(config) {
      root = config.root
      publicFolder = config.publicDir
      cacheFolder = config.cacheDir
    },
    async generateBundle() {
      const emit = async ({ name, content }: ReturnType<typeof filesNow>[number]) =>
        this.emitFile({ type: 'asset', fileName: name, source: await content() })
      await Promise.all(filesNow().map(emit))
    },
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const file = filesNow().find(({ name }) => request.url === `/${name}`)
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
    id: '/',
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
    screenshots: SCREENSHOTS.map(({ file, formFactor, width, height }) => ({
      src: `/${file}`,
      type: 'image/jpeg',
      sizes: `${width}x${height}`,
      form_factor: formFactor,
      label: `The shop of ${name}`,
    })),
  }
  return `${JSON.stringify(content, null, 2)}\n`
}
