import path from 'node:path'
import { type PageName, pageDefinition } from '../../shared/routes.ts'
import { pageName } from './client-assets.ts'

const ENTRY = 'src/client/entry.tsx'

type Graph = {
  getModuleInfo: (id: string) => { importedIds: readonly string[]; importers: readonly string[] } | null
}

/** Puts the entry's imports and everything public pages share into one chunk, so that a public page loads three scripts. */
export function entryChunk({ root = process.cwd() } = {}) {
  const pages: string[] = []
  let shared: ReadonlySet<string> | undefined

  return {
    /** Called for every module before the first call of `name`. */
    test(id: string): boolean {
      if (pageName(id)) pages.push(id)
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
  const imports = pages.map((id) => ({ id, isPublic: isPublicPage(id), ids: importsOf(id, graph) }))
  for (const page of imports) {
    if (!page.isPublic) continue
    for (const other of imports) {
      if (page === other) continue
      for (const id of page.ids.intersection(other.ids)) shared.add(id)
    }
    for (const id of page.ids) {
      if (id === page.id) continue
      const importers = graph.getModuleInfo(id)?.importers ?? []
      if (importers.some((importer) => !page.ids.has(importer))) importsOf(id, graph, shared)
    }
  }
  return shared
}

function importsOf(id: string, graph: Graph, seen = new Set<string>()): Set<string> {
  if (seen.has(id)) return seen
  seen.add(id)
  for (const next of graph.getModuleInfo(id)?.importedIds ?? []) importsOf(next, graph, seen)
  return seen
}

/** Order pages and cart links are sent to one person. */
export function isPublicPage(file: string): boolean {
  const name = pageName(file)
  return name !== 'order' && name !== 'buy' && pageDefinition(name as PageName)?.access === 'public'
}
