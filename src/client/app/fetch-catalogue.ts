import type { LoadedCatalogue } from './parse-catalogue.ts'

let loaded: LoadedCatalogue | undefined
let loading: Promise<LoadedCatalogue> | undefined

async function fetchCatalogue(): Promise<LoadedCatalogue> {
  const code = import('./parse-catalogue.ts')
  code.catch(() => {})
  const response = await fetch('/Items.json')
  if (!response.ok) throw new Error('Failed to fetch products')
  const [file, { parseCatalogue }] = await Promise.all([response.json(), code])
  loaded = await parseCatalogue(file)
  return loaded
}

/** The catalogue, fetched once per visit (§ 7): at once when it has loaded, else a promise that rejects on failure (§ 8). */
export function loadCatalogue(): LoadedCatalogue | Promise<LoadedCatalogue> {
  return loaded ?? refreshCatalogue()
}

/** The catalogue as the shop has it now; rejects on failure. Unchanged, it comes from the browser's cache. */
export function refreshCatalogue(): Promise<LoadedCatalogue> {
  loading ??= fetchCatalogue().finally(() => {
    loading = undefined
  })
  return loading
}

/**
 * A page's data from the catalogue; `failed`, and the error logged, when that cannot be loaded (§ 8). Rejects without a
 * connection.
 */
export function viewOfCatalogue<View>(
  make: (catalogue: LoadedCatalogue) => View | Promise<View>,
  failed: View,
): View | Promise<View> {
  const catalogue = loadCatalogue()
  if (!(catalogue instanceof Promise)) return make(catalogue)
  return catalogue.then(make, (error: unknown) => {
    // Without a connection the router waits for it.
    if (error instanceof TypeError) throw error
    console.error(error instanceof Error ? error.message : error)
    return failed
  })
}
