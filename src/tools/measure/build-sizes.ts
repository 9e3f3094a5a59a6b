import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Row } from './report.ts'

type Chunk = { file: string; imports?: string[]; src?: string }
type Manifest = Record<string, Chunk>

const ENTRY = 'src/client/entry.tsx'
const STYLESHEET = 'src/client/styles/shop.css'
const PAGE = /^src\/client\/pages\/[^/]+\/([^/]+)-page\.tsx?$/
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

const BYTES_PER_KB = 1000
const kilobytes = (bytes: number) => bytes / BYTES_PER_KB

/** S4–S7 and S14's size: what the build alone decides, whatever the machine. `shopHtml` is the Shop with 56 products. */
export function sizeRows(root: string, shopHtml: Uint8Array): Row[] {
  const { pages, stylesheetBytes } = clientSizes(root)
  const largest = pages.toSorted((a, b) => b.scriptBytes - a.scriptBytes)[0]
  const busiest = pages.toSorted((a, b) => b.requests - a.requests)[0]
  const KB = { unit: 'KB' }
  return [
    {
      ...{ id: 'S4', what: `script on the first load, brotli (most: ${largest?.page})` },
      ...{ value: kilobytes(largest?.scriptBytes ?? Number.NaN), ...KB, budget: { atMost: 74 } },
    },
    {
      id: 'S5',
      what: 'CSS, brotli, one file',
      value: kilobytes(stylesheetBytes),
      ...KB,
      budget: { atMost: 10 },
    },
    {
      id: 'S6',
      what: 'Shop HTML, 56 products',
      value: kilobytes(shopHtml.byteLength),
      ...KB,
      budget: { atMost: 40 },
    },
    {
      ...{ id: 'S6', what: 'Shop HTML, 56 products, gzip' },
      ...{ value: kilobytes(gzipSync(shopHtml).byteLength), ...KB, budget: { atMost: 7 } },
    },
    {
      ...{ id: 'S7', what: `page, style and scripts before usable (most: ${busiest?.page})` },
      ...{ value: busiest?.requests ?? Number.NaN, budget: { atMost: 4 } },
    },
    { id: 'S14', what: 'Worker, gzip', value: kilobytes(serverBytes(root)), ...KB, budget: { atMost: 400 } },
  ]
}
