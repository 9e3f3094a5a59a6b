import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

type Chunk = { file: string; imports?: string[]; src?: string }
type Manifest = Record<string, Chunk>

const ENTRY = 'src/client/entry.tsx'
const STYLESHEET = 'src/client/styles/shop.css'
const PAGE = /^src\/client\/pages\/[^/]+\/([^/]+)-page\.tsx$/
/** Pages that only somebody signed in sees: their scripts are not part of a first load. */
const SIGNED_IN = ['cart', 'checkout', 'dashboard']

/** What the first load of one page fetches, by the build; sizes in bytes as brotli at its best. */
export type PageSizes = {
  page: string
  scriptBytes: number
  /** The document, the stylesheet and the scripts. */
  requests: number
}

/** The build's sizes: each public page's first load, and the stylesheet. */
export function clientSizes(root: string): {
  pages: PageSizes[]
  stylesheetBytes: number
  fontBytes: number
} {
  const folder = path.join(root, 'dist/client')
  const manifest = JSON.parse(readFileSync(path.join(folder, '.vite/manifest.json'), 'utf8')) as Manifest
  const sizeOf = (file: string) => brotliSize(readFileSync(path.join(folder, file)))
  const chunk = (source: string) => {
    const found = manifest[source]
    if (!found) throw new Error(`The build has no ${source}.`)
    return found
  }
  const filesOf = (source: string, seen = new Set<string>()): Set<string> => {
    const { file, imports = [] } = chunk(source)
    if (seen.has(file)) return seen
    seen.add(file)
    for (const next of imports) filesOf(next, seen)
    return seen
  }
  const pages = Object.keys(manifest).flatMap((source): PageSizes[] => {
    const page = PAGE.exec(source)?.[1]
    if (!page || SIGNED_IN.includes(page)) return []
    const scripts = [...filesOf(ENTRY).union(filesOf(source))]
    return [{ page, scriptBytes: sum(scripts.map(sizeOf)), requests: 2 + scripts.length }]
  })
  const fonts = readdirSync(path.join(folder, 'assets')).filter((file) => file.endsWith('.woff2'))
  return {
    pages,
    stylesheetBytes: sizeOf(chunk(STYLESHEET).file),
    fontBytes: sum(fonts.map((file) => readFileSync(path.join(folder, 'assets', file)).byteLength)),
  }
}

/** The Worker's modules together, compressed as an upload is, in bytes. */
export function serverBytes(root: string): number {
  const folder = path.join(root, 'dist/server')
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
