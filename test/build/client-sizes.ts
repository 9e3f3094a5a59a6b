import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { isPublicPage } from '#shared/routes.ts'
import {
  FIRST_FONT_PATTERN,
  getChunk,
  listImports,
  type Manifest,
  parsePageName,
} from '#tools/vite/client-assets.ts'

const START_FILE = 'src/client/start.ts'
const ENTRY_FILE = 'src/client/entry.tsx'
const STYLESHEET_FILE = 'src/client/styles/shop.css'

/** Sizes are in bytes, compressed with brotli at its highest level. */
export function measureClientSizes(root: string) {
  const folder = path.join(root, 'dist/client')
  const manifest = JSON.parse(readFileSync(path.join(folder, '.vite/manifest.json'), 'utf8')) as Manifest
  const sizes = new Map<string, number>()
  const sizeOf = (file: string) =>
    sizes.get(file) ??
    sizes.set(file, measureBrotliBytes(readFileSync(path.join(folder, file)))).get(file) ??
    0
  const filesOf = (...sources: string[]) =>
    new Set(
      sources
        .flatMap((source) => listImports(manifest, source))
        .map((source) => getChunk(manifest, source).file),
    )
  const pages = Object.keys(manifest).flatMap((source) => {
    const page = parsePageName(source)
    if (!page || !isPublicPage(page)) return []
    const scripts = [...filesOf(START_FILE, ENTRY_FILE, source)]
    return [{ page, scriptBytes: sum(scripts.map(sizeOf)), requests: 2 + scripts.length }]
  })
  const fonts = readdirSync(path.join(folder, 'assets')).filter((file) => FIRST_FONT_PATTERN.test(`/${file}`))
  return {
    pages,
    stylesheetBytes: sizeOf(getChunk(manifest, STYLESHEET_FILE).file),
    fontBytes: sum(fonts.map((file) => readFileSync(path.join(folder, 'assets', file)).byteLength)),
  }
}

export function measureWorkerBytes(root: string, worker: 'server' | 'office'): number {
  const folder = path.join(root, 'dist', worker)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.js'),
  )
  return sum(files.map((file) => gzipSync(readFileSync(path.join(folder, file))).byteLength))
}

function measureBrotliBytes(content: Uint8Array): number {
  return brotliCompressSync(content, {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  }).byteLength
}

function sum(figures: number[]): number {
  return figures.reduce((total, figure) => total + figure, 0)
}
