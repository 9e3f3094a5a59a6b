import { savesData } from './saves-data.ts'
import type { Shelves } from './shelves.ts'

let shelves: Shelves | undefined
let reading: Promise<Shelves> | undefined

async function read(): Promise<Shelves> {
  const code = import('./shelves.ts')
  code.catch(() => {})
  const response = await fetch('/Items.json')
  if (!response.ok) throw new Error('Failed to fetch products')
  const [file, { fillShelves }] = await Promise.all([response.json(), code])
  shelves = fillShelves(file, savesData())
  return shelves
}

/** The catalogue, read once per visit (§ 7): at once when it is here, else a promise that rejects on failure (§ 8). */
export function browserShelves(): Shelves | Promise<Shelves> {
  if (shelves) return shelves
  reading ??= read().finally(() => {
    reading = undefined
  })
  return reading
}

/** A view made from the catalogue; when that cannot be read, the failure is logged and `failed` stands in (§ 8). */
export function viewOfCatalogue<View>(make: (shelves: Shelves) => View, failed: View): View | Promise<View> {
  const known = browserShelves()
  if (!(known instanceof Promise)) return make(known)
  return known.then(make, (error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    return failed
  })
}
