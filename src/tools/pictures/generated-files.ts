import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'
import { getRasterUrl, getShareImageUrl } from '#shared/catalogue/pictures.ts'
import { colours } from '#shared/colours.ts'
import { drawProductPicture, drawSharePicture, type ShopIdentity } from './drawn-pictures.ts'
import { CACHE_FOLDER, encodeRaster, encodeSmallRaster, RASTER_FORMATS } from './encoded-files.ts'
import { recolourSvg } from './repaint.ts'

type ShopModule = typeof import('#shared/shop.ts')
type GeneratedFile = { name: string; type: string; content: () => Promise<string | Uint8Array> }

/** Drawings that are on every page. They become WebP at 2×, because browsers lay out every SVG as a document. */
const DECORATIONS = [
  { name: 'images/border', width: 192 },
  { name: 'images/mark', width: 72 },
  { name: 'images/weave', width: 48 },
]

/** `shopNow` reads src/shared/shop.ts when a file is generated. */
function listGeneratedFiles(publicFolder: string, shopNow: () => Promise<ShopIdentity>): GeneratedFile[] {
  const readText = (file: string) => readFileSync(path.join(publicFolder, file), 'utf8')
  const read = (file: string) =>
    file.endsWith('.svg')
      ? Buffer.from(recolourSvg(readText(file)))
      : readFileSync(path.join(publicFolder, file))
  const sources = readdirSync(publicFolder, { recursive: true, encoding: 'utf8' })
  return [
    ...sources.flatMap((file): GeneratedFile[] => {
      const source = file.replaceAll(path.sep, '/')
      const raster = getRasterUrl(`/${source}`)
      const shared = getShareImageUrl(source)
      const jpeg = async () => drawProductPicture(read(source), await shopNow(), CACHE_FOLDER)
      const rasters = RASTER_FORMATS.map(({ width, format }) => ({
        name: path.posix.join(path.dirname(raster), `${width}.${format}`).slice(1),
        type: `image/${format}`,
        content: () => encodeRaster(read(source), { width, format }, CACHE_FOLDER),
      }))
      const isRepainted = source.endsWith('.svg') && recolourSvg(readText(source)) !== readText(source)
      return [
        ...(isRepainted ? [{ name: source, type: 'image/svg+xml', content: async () => read(source) }] : []),
        ...(raster === `/${source}` ? [] : rasters),
        ...(shared ? [{ name: shared, type: 'image/jpeg', content: jpeg }] : []),
      ]
    }),
    ...DECORATIONS.map(({ name, width }) => ({
      name: `${name}.webp`,
      type: 'image/webp',
      content: () => encodeSmallRaster(read(`${name}.svg`), width),
    })),
    { name: 'images/share.png', type: 'image/png', content: async () => drawSharePicture(await shopNow()) },
    {
      name: 'manifest.webmanifest',
      type: 'application/manifest+json',
      content: async () => createManifest(await shopNow()),
    },
  ]
}

export function generatedFilesPlugin(): Plugin {
  let files: () => GeneratedFile[] = () => []
  return {
    name: 'pamba:generated-files',
    applyToEnvironment: ({ name }) => name === 'client',
    configResolved({ root, publicDir }) {
      const shopFile = path.join(root, 'src/shared/shop.ts')
      const shopNow = async () => {
        const fresh = `${pathToFileURL(shopFile)}?${statSync(shopFile).mtimeMs}`
        const { shop, shopProfile } = (await import(fresh)) as ShopModule
        return { ...shop, description: shopProfile.description }
      }
      files = () => listGeneratedFiles(publicDir, shopNow)
    },
    async generateBundle() {
      const names = new Set<string>()
      const emit = async ({ name, content }: GeneratedFile) => {
        if (names.has(name)) this.error(`Two drawings would both be saved as ${name}. Rename one of them.`)
        names.add(name)
        this.emitFile({ type: 'asset', fileName: name, source: await content() })
      }
      await Promise.all(files().map(emit))
    },
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const file = files().find(({ name }) => request.url === `/${name}`)
        if (!file) return next()
        response.setHeader('Content-Type', file.type)
        file.content().then((content) => response.end(content), next)
      })
    },
  }
}

export function createManifest({ name, description }: Pick<ShopIdentity, 'name' | 'description'>): string {
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
    background_color: colours.cotton,
    theme_color: colours.cotton,
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
