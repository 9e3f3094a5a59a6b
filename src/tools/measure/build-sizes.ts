import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { FIRST_FONT } from '../vite/client-assets.ts'
import { isPublic } from '../vite/entry-chunk.ts'
import type { Report } from './report.ts'

type Chunk = { file: string; imports?: string[]; src?: string }
type Manifest = Record<string, Chunk>

const START = 'src/client/start.ts'
const ENTRY = 'src/client/entry.tsx'
const STYLESHEET = 'src/client/styles/shop.css'
const PAGE = /^src\/client\/(?:[^/]+\/)+([^/]+)-page\.tsx?$/

/** What each public page's first load fetches, document and stylesheet included, and sizes in bytes, as brotli at its best. */
export function clientSizes(root: string) {
  const folder = path.join(root, 'dist/client')
  const manifest = JSON.parse(readFileSync(path.join(folder, '.vite/manifest.json'), 'utf8')) as Manifest
  const sizes = new Map<string, number>()
  /** Pages share files, and the best compression is slow. */
  const sizeOf = (file: string) =>
    sizes.get(file) ?? sizes.set(file, brotliSize(readFileSync(path.join(folder, file)))).get(file) ?? 0
  const chunk = (source: string) => {
    const found = manifest[source]
    if (!found) throw new Error(`The build has no ${source}.`)
    return found
  }
  const filesOf = (...sources: string[]): Set<string> => {
    const seen = new Set(sources)
    for (const source of seen) for (const next of chunk(source).imports ?? []) seen.add(next)
    return new Set(Array.from(seen, (source) => chunk(source).file))
  }
  const pages = Object.keys(manifest).flatMap((source) => {
    const page = PAGE.exec(source)?.[1]
    if (!page || !isPublic(page)) return []
    const scripts = [...filesOf(START, ENTRY, source)]
    return [{ page, scriptBytes: sum(scripts.map(sizeOf)), requests: 2 + scripts.length }]
  })
  const fonts = readdirSync(path.join(folder, 'assets')).filter((file) => FIRST_FONT.test(`/${file}`))
  return {
    pages,
    stylesheetBytes: sizeOf(chunk(STYLESHEET).file),
    fontBytes: sum(fonts.map((file) => readFileSync(path.join(folder, 'assets', file)).byteLength)),
  }
}

/** The modules of the shop's or the office's Worker together, compressed as an upload is, in bytes. */
export function workerBytes(root: string, worker: 'server' | 'office'): number {
  const folder = path.join(root, 'dist', worker)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.js'),
  )
  return sum(files.map((file) => gzipSync(readFileSync(path.join(folder, file))).byteLength))
}

function brotliSize(content: Uint8Array): number {
  return brotliCompressSync(content, {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  }).byteLength
}

function sum(figures: number[]): number {
  return figures.reduce((total, figure) => total + figure, 0)
}

const BYTES_PER_KB = 1000

/** S4–S7 and S14's size: what the build alone decides, whatever the machine. `shopHtml` is the Shop with 64 products. */
export function sizeRows(root: string, shopHtml: Uint8Array, { row }: Report): void {
  const { pages, stylesheetBytes, fontBytes } = clientSizes(root)
  const most = (figure: 'scriptBytes' | 'requests') => Math.max(...pages.map((page) => page[figure]))
  const size = (id: string, what: string, bytes: number, atMost: number) =>
    row({ id, what, value: bytes / BYTES_PER_KB, unit: 'KB', budget: { atMost } })
  size('S4', 'script on the first load of any public page, brotli', most('scriptBytes'), 78)
  size('S5', 'CSS, brotli, one file', stylesheetBytes, 12)
  size('S6', 'Shop HTML, 64 products', shopHtml.byteLength, 48)
  size('S6', 'Shop HTML, 64 products, gzip', gzipSync(shopHtml).byteLength, 9.5)
  row({
    id: 'S7',
    what: 'page, style and scripts before usable',
    value: most('requests'),
    budget: { atMost: 5 },
  })
  size('S9', 'fonts before the first paint', fontBytes, 32)
  size('S14', 'Worker, gzip', workerBytes(root, 'server'), 400)
}
