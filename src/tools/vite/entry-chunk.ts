import path from 'node:path'
import type { Rolldown } from 'vite'
import { isPublicPage } from '../../shared/routes.ts'
import { collectReachable, ENTRY_FILE, parsePageName } from './client-assets.ts'

/** Puts the modules that public pages share into the entry's chunk, so that a page loads few scripts. */
export function createEntryChunkGroup(): Rolldown.CodeSplittingGroup {
  const pages: string[] = []
  let shared: ReadonlySet<string> | undefined

  return {
    /** Rolldown calls this for every module before it first calls `name`. */
    test(id) {
      if (parsePageName(id)) pages.push(id)
      return true
    },
    name(id, graph) {
      shared ??= listSharedModules(pages, graph)
      return shared.has(id) ? 'entry' : null
    },
  }
}

function listSharedModules(pages: readonly string[], graph: Rolldown.ChunkingContext) {
  const importsOf = (id: string, seen?: Set<string>) =>
    collectReachable(id, (module) => graph.getModuleInfo(module)?.importedIds, seen)
  const shared = importsOf(path.resolve(ENTRY_FILE))
  const imports = pages.map((id) => ({ id, ids: importsOf(id) }))
  for (const page of imports) {
    if (!isPublicPage(parsePageName(page.id) ?? 'notFound')) continue
    for (const other of imports) {
      if (page === other) continue
      for (const id of page.ids.intersection(other.ids)) shared.add(id)
    }
    for (const id of page.ids)
      if (id !== page.id && !isUsedOnlyBy(page.id, id, pages, graph)) importsOf(id, shared)
  }
  return shared
}

/** Follows dynamic imports too: a page's lazy sections may import from its chunk, which is loaded before them. */
function isUsedOnlyBy(
  page: string,
  id: string,
  pages: readonly string[],
  graph: Rolldown.ChunkingContext,
): boolean {
  const users = collectReachable(id, (module) => {
    if (pages.includes(module)) return []
    const { importers = [], dynamicImporters = [] } = graph.getModuleInfo(module) ?? {}
    return [...importers, ...dynamicImporters]
  })
  return !users.has(path.resolve(ENTRY_FILE)) && pages.every((other) => other === page || !users.has(other))
}
