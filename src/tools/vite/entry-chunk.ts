import path from 'node:path'
import { type PageName, pageOf } from '../../shared/routes.ts'

const ENTRY = 'src/client/entry.tsx'
const PAGE = /\/src\/client\/pages\/[^/]+\/([^/]+)-page\.tsx?$/

type Graph = { getModuleInfo: (id: string) => { importedIds: readonly string[] } | null }

/**
 * Which modules go into the browser's entry: what it imports itself, and what a public page shares with any other
 * page. A public page's first load then needs two scripts, the entry and its own, instead of one more for each piece.
 */
export function entryChunk({ root = process.cwd() } = {}) {
  const pages: string[] = []
  let modules: ReadonlySet<string> | undefined

  return {
    /** Sees every module before the first is named. */
    test(id: string): boolean {
      if (PAGE.test(id)) pages.push(id)
      return true
    },
    name(id: string, graph: Graph): string | null {
      modules ??= modulesOf(path.join(root, ENTRY), pages, graph)
      return modules.has(id) ? 'entry' : null
    },
  }
}

function modulesOf(entry: string, pages: readonly string[], graph: Graph): ReadonlySet<string> {
  const modules = importsOf(entry, graph)
  const imports = pages.map((page) => ({ isPublic: isPublic(page), ids: importsOf(page, graph) }))
  for (const one of imports) {
    for (const other of imports) {
      if (one === other || !one.isPublic) continue
      for (const id of one.ids.intersection(other.ids)) modules.add(id)
    }
  }
  return modules
}

/** A module and all it imports statically. */
function importsOf(id: string, graph: Graph, seen = new Set<string>()): Set<string> {
  if (seen.has(id)) return seen
  seen.add(id)
  for (const next of graph.getModuleInfo(id)?.importedIds ?? []) importsOf(next, graph, seen)
  return seen
}

function isPublic(page: string): boolean {
  const kebab = PAGE.exec(page)?.[1] ?? ''
  const name = kebab.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return pageOf(name as PageName)?.access === 'public'
}
