import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'
import { isPublicPage, type PageName } from '../../shared/routes.ts'

const START_FILE = 'src/client/start.ts'
export const ENTRY_FILE = 'src/client/entry.tsx'
const STYLESHEET_FILE = 'src/client/styles/shop.css'
/** Matches the subset fonts for English. The packages' own font files have longer names and load on demand. */
export const FIRST_FONT_PATTERN = /\/(figtree|fraunces)-[\w-]{8}\.woff2$/

const PAGE_FILE_PATTERN = /(?:^|\/)src\/client\/(?:[^/]+\/)+([^/]+)-page\.tsx?$/

type Build = { root: string; isBuild: boolean }
type ManifestChunk = { file: string; imports?: string[]; dynamicImports?: string[]; assets?: string[] }
export type Manifest = Record<string, ManifestChunk>

/** Provides `virtual:client-assets`: the URLs of the client build, or the source files in development and tests. */
export function clientAssets(): Plugin {
  return virtualModule('client-assets', ({ root, isBuild }) => (isBuild ? readBuiltAssets(root) : sources))
}

/** Removes Vite's helper from dynamic imports, because its 0.4 KB only preload, and `modulePreload` is off. */
export function plainDynamicImports(): Plugin {
  return {
    name: 'pamba:plain-dynamic-imports',
    enforce: 'pre',
    load: {
      filter: { id: /vite\/preload-helper/ },
      handler: () => 'export const __vitePreload = (load) => load()',
    },
    renderChunk: (code) => code.replace(/__vitePreload\(\(\) => (import\(.+?), __VITE_PRELOAD__\)/g, '$1'),
  }
}

const sources = {
  start: `/${START_FILE}`,
  entry: `/${ENTRY_FILE}`,
  stylesheet: `/${STYLESHEET_FILE}`,
  fonts: [],
  pages: {},
  accountScripts: [],
}

function readBuiltAssets(root: string) {
  const file = path.join(root, 'dist/client/.vite/manifest.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest
  const start = getChunk(manifest, START_FILE)
  const entry = getChunk(manifest, ENTRY_FILE)
  const stylesheet = getChunk(manifest, STYLESHEET_FILE)
  const alwaysLoaded = new Set(listImports(manifest, ENTRY_FILE))

  const pages = Object.fromEntries(
    Object.keys(manifest).flatMap((source) => {
      const name = parsePageName(source)
      if (!name) return []
      const files = listImports(manifest, source).filter((chunk) => !alwaysLoaded.has(chunk))
      return [[name, files.map((chunk) => `/${getChunk(manifest, chunk).file}`)]]
    }),
  )
  const fonts = (stylesheet.assets ?? [])
    .filter((asset) => FIRST_FONT_PATTERN.test(asset))
    .map((asset) => `/${asset}`)
  const accountScripts = listAccountChunks(manifest).map((chunk) => `/${getChunk(manifest, chunk).file}`)
  return {
    start: `/${start.file}`,
    entry: `/${entry.file}`,
    stylesheet: `/${stylesheet.file}`,
    fonts,
    pages,
    accountScripts,
  }
}

function listAccountChunks(manifest: Manifest): string[] {
  const importsOf = (source: string) => {
    const { imports = [], dynamicImports = [] } = getChunk(manifest, source)
    return [...imports, ...dynamicImports]
  }
  const isPublic = (source: string) => isPublicPage(parsePageName(source) ?? 'notFound')
  const publicChunks = collectReachable(ENTRY_FILE, (source) => importsOf(source).filter(isPublic))
  return [...collectReachable(ENTRY_FILE, importsOf).difference(publicChunks)]
}

export function listImports(manifest: Manifest, source: string): string[] {
  return [...collectReachable(source, (chunk) => getChunk(manifest, chunk).imports)]
}

export function collectReachable(
  id: string,
  importedBy: (id: string) => readonly string[] | undefined,
  seen = new Set<string>(),
): Set<string> {
  if (seen.has(id)) return seen
  seen.add(id)
  for (const next of importedBy(id) ?? []) collectReachable(next, importedBy, seen)
  return seen
}

export function getChunk(manifest: Manifest, source: string): ManifestChunk {
  const chunk = manifest[source]
  if (!chunk) throw new Error(`The client build has no ${source}.`)
  return chunk
}

export function parsePageName(file: string): PageName | undefined {
  const name = PAGE_FILE_PATTERN.exec(file)?.[1]
  return name?.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) as PageName | undefined
}

/** The module's default export is the value that `createValue` returns, as JSON. */
export function virtualModule(name: string, createValue: (build: Build) => unknown): Plugin {
  const id = `virtual:${name}`
  let config = { root: process.cwd(), isBuild: false }
  return {
    name: `pamba:${name}`,
    configResolved({ root, command }) {
      config = { root, isBuild: command === 'build' }
    },
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    async load(resolved) {
      if (resolved === `\0${id}`) return `export default ${JSON.stringify(await createValue(config))}`
    },
  }
}
