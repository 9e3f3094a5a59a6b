import type { Catalogue } from '#shared/rules/catalogue.ts'
import { catalogueProblem, catalogueSchema } from '#shared/rules/catalogue-schema.ts'
import { lightCatalogue } from '#shared/rules/catalogue-views.ts'

/** Where pages and orders get the catalogue: kept in the isolate's memory once it has been read. */
export type CatalogueSource = {
  /** The catalogue if it is in memory already. */
  current(): Catalogue | undefined
  /** Reads it where it is not; rejects when the file is missing or malformed, and tries again at the next call. */
  load(): Promise<Catalogue>
}

/**
 * A source that reads `/Items.json` from the static files (§ 7). Requests that find it unread each read for
 * themselves: workerd ties a pending read to the request that began it, so it cannot be shared.
 */
export function catalogueFromAssets(assets: { fetch(request: Request): Promise<Response> }): CatalogueSource {
  let catalogue: Catalogue | undefined

  async function read(): Promise<Catalogue> {
    const response = await assets.fetch(new Request('https://localhost/Items.json'))
    if (!response.ok) throw new Error(`Failed to fetch products: /Items.json answered ${response.status}`)
    const file: unknown = await response.json()
    const result = catalogueSchema.safeParse(file)
    if (!result.success) throw new Error(`Items.json is broken. ${catalogueProblem(file)}`)
    catalogue = result.data
    return catalogue
  }

  return {
    current: () => catalogue,
    load: async () => catalogue ?? (await read()),
  }
}

/** The same source for a visitor who saves data: its products have the lighter pictures. */
export function withLightPictures({ current, load }: CatalogueSource): CatalogueSource {
  return {
    current() {
      const known = current()
      return known && lightCatalogue(known)
    },
    load: async () => lightCatalogue(await load()),
  }
}
