import path from 'node:path'
import type { Rolldown } from 'vite'
import { type PageName, pageDefinition } from '../../shared/routes.ts'
import { parsePageName, reachable } from './client-assets.ts'

const ENTRY = 'src/client/entry.tsx'

/** Puts the entry's imports and everything public pages share into one chunk, so that a public page loads three scripts. */
export function entryChunk(): Rolldown.CodeSplittingGroup {
  const pages: string[] = []
  let shared: ReadonlySet<string> | undefined

  return {
    /** Called for every module before the first call of `name`. */
    test(id) {
      if (parsePageName(id)) pages.push(id)
      return true
    },
    name(id, graph) {
      shared ??= sharedModules(pages, graph)
      return shared.has(id) ? 'entry' : null
    },
  }
}

function sharedModules(pages: readonly string[], graph: Rolldown.ChunkingContext) {
  const importsOf = (id: string, seen?: Set<string>) =>
    reachable(id, (module) => graph.getModuleInfo(module)?.importedIds, seen)
  const shared = importsOf(path.resolve(ENTRY))
  const imports = pages.map((id) => ({ id, isPublic: isPublicPage(id), ids: importsOf(id) }))
  for (const page of imports) {
    if (!page.isPublic) continue
    for (const other of imports) {
      if (page === other) continue
      for (const id of page.ids.intersection(other.ids)) shared.add(id)
    }
    for (const id of page.ids) {
      if (id === page.id) continue
      const importers = graph.getModuleInfo(id)?.importers ?? []
      if (importers.some((importer) => !page.ids.has(importer))) importsOf(id, shared)
    }
  }
  return shared
}

/** Order pages and cart links are sent to one person. */
export function isPublicPage(file: string): boolean {
  const name = parsePageName(file)
  return name !== 'order' && name !== 'buy' && pageDefinition(name as PageName)?.access === 'public'
}
