import path from 'node:path'
import type { Rolldown } from 'vite'
import { getPageDefinition, type PageName } from '../../shared/routes.ts'
import { collectReachable, parsePageName } from './client-assets.ts'

const ENTRY_FILE = 'src/client/entry.tsx'

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
  const imports = pages.map((id) => ({ id, isPublic: isPublicPage(id), ids: importsOf(id) }))
  for (const page of imports) {
    if (!page.isPublic) continue
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

/** Excludes order pages and cart links, although they open without logging in. */
export function isPublicPage(file: string): boolean {
  const name = parsePageName(file)
  return name !== 'order' && name !== 'buy' && getPageDefinition(name as PageName)?.access === 'public'
}
