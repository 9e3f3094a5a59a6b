import path from 'node:path'
import type { Plugin } from 'vite'
import { type PageName, pageOf } from '../../shared/routes.ts'

const ENTRY = 'src/client/entry.tsx'
const FORM = 'src/client/ui/use-form.ts'
const PAGE = /\/src\/client\/pages\/[^/]+\/([^/]+)-page\.tsx?$/

type Graph = { getModuleInfo: (id: string) => { importedIds: readonly string[] } | null }

/**
 * Which modules go into the browser's entry: what it imports itself, and what a public page shares with any other
 * page. What only pages with a form share is a second chunk. A public page's first load then needs two scripts, or
 * three with a form, instead of one more for each piece.
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
      return chunks.form.has(id) ? 'form' : null
    },
  }
}

type Chunks = { entry: ReadonlySet<string>; form: ReadonlySet<string> }

function chunksOf(root: string, pages: readonly string[], graph: Graph): Chunks {
  const entry = importsOf(path.join(root, ENTRY), graph)
  const form = new Set<string>()
  const imports = pages.map((page) => {
    const ids = importsOf(page, graph)
    return { isPublic: isPublic(PAGE.exec(page)?.[1] ?? ''), hasForm: ids.has(path.join(root, FORM)), ids }
  })
  const others = imports.filter(({ hasForm }) => !hasForm)
  for (const one of imports) {
    for (const other of imports) {
      if (one === other || !one.isPublic) continue
      for (const id of one.ids.intersection(other.ids)) {
        const isOfForms = !entry.has(id) && others.every(({ ids }) => !ids.has(id))
        ;(isOfForms ? form : entry).add(id)
      }
    }
  }
  return { entry, form }
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
