import type { Catalogue } from '#shared/rules/catalogue.ts'

let catalogue: Catalogue | undefined
let reading: Promise<Catalogue> | undefined

async function read(): Promise<Catalogue> {
  // The schema's library is heavy, and pages that come whole from the server do without it.
  const parser = import('#shared/rules/catalogue-file.ts')
  parser.catch(() => {})
  const response = await fetch('/Items.json')
  if (!response.ok) throw new Error('Failed to fetch products')
  const [file, { catalogueSchema }] = await Promise.all([response.json(), parser])
  catalogue = catalogueSchema.parse(file)
  return catalogue
}

/** The catalogue, read once per visit (§ 7): at once when it is here, else a promise that rejects on failure (§ 8). */
export function browserCatalogue(): Catalogue | Promise<Catalogue> {
  if (catalogue) return catalogue
  reading ??= read().finally(() => {
    reading = undefined
  })
  return reading
}

/** A view made from the catalogue; when that cannot be read, the failure is logged and `failed` stands in (§ 8). */
export function viewOfCatalogue<View>(
  make: (catalogue: Catalogue) => View,
  failed: View,
): View | Promise<View> {
  const known = browserCatalogue()
  if (!(known instanceof Promise)) return make(known)
  return known.then(make, (error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    return failed
  })
}
