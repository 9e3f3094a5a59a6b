import path from 'node:path'
import type { Plugin } from 'vite'
import { type PageName, pageOf } from '../../shared/routes.ts'

const ENTRY = 'src/client/entry.tsx'
const FORM = 'src/client/ui/use-form.ts'
const ADD_TO_CART = 'src/client/state/add-to-cart.ts'
const PAGE = /\/src\/client\/pages\/[^/]+\/([^/]+)-page\.tsx?$/

type Graph = { getModuleInfo: (id: string) => { importedIds: readonly string[] } | null }

/**
 * Which modules go into the browser's entry: what it imports itself, and what a public page shares with any other
 * page. What only pages with a form share is a second chunk, and so is what only pages with products share. A public
 * page's first load then needs two or three scripts, instead of one more for each piece.
 */
export function entryChunk({ root = process.cwd() } = {}) {
  const pages: string[] = []
  let chunks: Chunks | undefined

  return {
    /** Sees every module before the first is named. */
    test(id: string): boolean {
      if (PAGE.test(id)) pages.push(id)
      return true
    },
    name(id: string, graph: Graph): string | null {
      chunks ??= chunksOf(root, pages, graph)
      if (chunks.entry.has(id)) return 'entry'
      if (chunks.form.has(id)) return 'form'
      return chunks.products.has(id) ? 'products' : null
    },
  }
}

type Chunks = Record<'entry' | 'form' | 'products', ReadonlySet<string>>

function chunksOf(root: string, pages: readonly string[], graph: Graph): Chunks {
  const entry = importsOf(path.join(root, ENTRY), graph)
  const form = new Set<string>()
  const products = new Set<string>()
  const imports = pages.map((page) => {
    const ids = importsOf(page, graph)
    return {
      isPublic: isPublic(PAGE.exec(page)?.[1] ?? ''),
      ids,
      has: (file: string) => ids.has(path.join(root, file)),
    }
  })
  /** Whether every page that needs a module has this file, too. */
  const isOnlyWith = (file: string, id: string, ofPages: typeof imports) =>
    ofPages.every((page) => page.has(file) || !page.ids.has(id))
  const publicPages = imports.filter((page) => page.isPublic)
  for (const one of publicPages) {
    for (const other of imports) {
      if (one === other) continue
      for (const id of one.ids.intersection(other.ids)) {
        if (entry.has(id)) continue
        if (isOnlyWith(FORM, id, imports)) form.add(id)
        else if (isOnlyWith(ADD_TO_CART, id, publicPages)) products.add(id)
        else entry.add(id)
      }
    }
  }
  return { entry, form, products }
}

/** A module and all it imports statically. */
function importsOf(id: string, graph: Graph, seen = new Set<string>()): Set<string> {
  if (seen.has(id)) return seen
  seen.add(id)
  for (const next of graph.getModuleInfo(id)?.importedIds ?? []) importsOf(next, graph, seen)
  return seen
}

/** Whether a page is for everybody, by its file's name: `product`, `forgot-password`. */
export function isPublic(file: string): boolean {
  const name = file.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return pageOf(name as PageName)?.access === 'public'
}

/** Replaces what Vite adds to preload a chunk's styles and imports: there is one stylesheet, and pages name their imports. */
export function plainImports(): Plugin {
  return {
    name: 'pamba:plain-imports',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => name === 'client',
    load: (id) =>
      id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load()' : undefined,
  }
}
