import type { LoadedCatalogue } from './parse-catalogue.ts'

let loadedCatalogue: LoadedCatalogue | undefined
let pendingCatalogue: Promise<LoadedCatalogue> | undefined

async function fetchCatalogue(): Promise<LoadedCatalogue> {
  const code = import('./parse-catalogue.ts')
  code.catch(() => {})
  const response = await fetch('/Items.json')
  if (!response.ok) throw new Error('Failed to fetch products')
  const [file, { parseCatalogue }] = await Promise.all([response.json(), code])
  loadedCatalogue = await parseCatalogue(file)
  return loadedCatalogue
}

/** Once fetched, the catalogue is returned without a promise (§ 7). The promise rejects on failure (§ 8). */
export function loadCatalogue(): LoadedCatalogue | Promise<LoadedCatalogue> {
  return loadedCatalogue ?? refreshCatalogue()
}

export function refreshCatalogue(): Promise<LoadedCatalogue> {
  pendingCatalogue ??= fetchCatalogue().finally(() => {
    pendingCatalogue = undefined
  })
  return pendingCatalogue
}

/** Returns `failed` if the catalogue can't be loaded, but rejects after a network error (§ 8). */
export function loadCatalogueView<View>(
  createView: (catalogue: LoadedCatalogue) => View | Promise<View>,
  failed: View,
): View | Promise<View> {
  const catalogue = loadCatalogue()
  if (!(catalogue instanceof Promise)) return createView(catalogue)
  return catalogue.then(createView, (error: unknown) => {
    // `fetch` and `import` report network errors as TypeErrors. The router then waits for the connection.
    if (error instanceof TypeError) throw error
    console.error(error instanceof Error ? error.message : error)
    return failed
  })
}
