import path from 'node:path'
import { type PageName, pageDefinition } from '../../shared/routes.ts'

const ENTRY = 'src/client/entry.tsx'
const PAGE = /\/src\/client\/(?:[^/]+\/)+([^/]+)-page\.tsx?$/

type Graph = {
  getModuleInfo: (id: string) => { importedIds: readonly string[]; importers: readonly string[] } | null
}

/**
 * Which modules go into the app's chunk: what its entry imports itself, and what a public page shares with any other
 * page or with what is loaded later. A public page's first load is then three scripts, with the one that starts it, instead of one more for each piece.
 */
export function entryChunk({ root = process.cwd() } = {}) {
  const pages: string[] = []
  let shared: ReadonlySet<string> | undefined

  return {
    /** Sees every module before the first is named. */
    test(id: string): boolean {
      if (PAGE.test(id)) pages.push(id)
      return true
    },
    name(id: string, graph: Graph): string | null {
      shared ??= sharedModules(root, pages, graph)
      return shared.has(id) ? 'entry' : null
    },
  }
}

function sharedModules(root: string, pages: readonly string[], graph: Graph): ReadonlySet<string> {
  const shared = importsOf(path.join(root, ENTRY), graph)
  const imports = pages.map((page) => ({
    isPublic: isPublic(PAGE.exec(page)?.[1] ?? ''),
    page,
    ids: importsOf(page, graph),
  }))
  for (const one of imports) {
    if (!one.isPublic) continue
    for (const other of imports) {
      if (one === other) continue
      for (const id of one.ids.intersection(other.ids)) shared.add(id)
    }
    for (const id of one.ids) {
      if (id === one.page) continue
      const importers = graph.getModuleInfo(id)?.importers ?? []
      if (importers.some((importer) => !one.ids.has(importer))) importsOf(id, graph, shared)
    }
  }
  return shared
}

/** A module and all it imports statically. */
function importsOf(id: string, graph: Graph, seen = new Set<string>()): Set<string> {
  if (seen.has(id)) return seen
  seen.add(id)
  for (const next of graph.getModuleInfo(id)?.importedIds ?? []) importsOf(next, graph, seen)
  return seen
}

/**
 * Whether a page is for everybody, by its file's name: `product`, `forgot-password`. An order's page is for its owner and
 * whoever has its link.
 */
export function isPublic(file: string): boolean {
  const name = file.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return name !== 'order' && pageDefinition(name as PageName)?.access === 'public'
}
